#!/usr/bin/env bash
# Process 1 of the cluster's own pid and mount namespace: starts the components and keeps them running. Its end ends them
# all, containers included. Its argument is the file that "up" wrote.
set -euo pipefail
# shellcheck source=/dev/null
source "$1"

mount --make-rshared / # the kubelet's mounts must reach the containers
# shellcheck disable=SC2153 # the list is lib/network.sh's
for folder in "${HIDDEN_FOLDERS[@]}"; do
	mount -t tmpfs tmpfs "$folder"
done

PATH=$BIN:$PATH # containerd looks for its shim there
PKI=$RUN/pki

# keep NAME COMMAND... starts the command, again and again should it end: on a busy machine a component may give up.
keep() {
	local name=$1
	shift
	while true; do
		"$@" || true
		echo "--- $name ended; starting it again ---"
		sleep 1
	done >>"$RUN/logs/$name.log" 2>&1 &
}

keep containerd containerd --config "$RUN/config/containerd.toml"

keep etcd etcd --data-dir "$RUN/etcd" --unsafe-no-fsync --log-level warn \
	--listen-client-urls "https://$BRIDGE_ADDRESS:$ETCD_PORT" --advertise-client-urls "https://$BRIDGE_ADDRESS:$ETCD_PORT" \
	--listen-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" --initial-advertise-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" \
	--initial-cluster "default=http://127.0.0.1:$ETCD_PEER_PORT" \
	--client-cert-auth --trusted-ca-file "$PKI/ca.crt" --cert-file "$PKI/etcd.crt" --key-file "$PKI/etcd.key"

keep kube-apiserver kube-apiserver \
	--etcd-servers "https://$BRIDGE_ADDRESS:$ETCD_PORT" --etcd-cafile "$PKI/ca.crt" \
	--etcd-certfile "$PKI/apiserver.crt" --etcd-keyfile "$PKI/apiserver.key" \
	--bind-address "$BRIDGE_ADDRESS" --advertise-address "$BRIDGE_ADDRESS" --secure-port "$APISERVER_PORT" \
	--tls-cert-file "$PKI/apiserver.crt" --tls-private-key-file "$PKI/apiserver.key" --client-ca-file "$PKI/ca.crt" \
	--authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
	--service-cluster-ip-range "$SERVICE_NETWORK" --enable-aggregator-routing \
	--service-account-issuer https://kubernetes.default.svc.cluster.local \
	--service-account-key-file "$PKI/service-account.pub" --service-account-signing-key-file "$PKI/service-account.key" \
	--kubelet-client-certificate "$PKI/admin.crt" --kubelet-client-key "$PKI/admin.key" \
	--kubelet-certificate-authority "$PKI/ca.crt" --kubelet-preferred-address-types InternalIP,Hostname \
	--audit-policy-file "$RUN/config/audit-policy.yaml" --audit-log-path "$AUDIT_LOG"

# The controller-manager ends for good when it starts before the API server has made its own roles.
until kubectl get --raw /readyz &>/dev/null; do
	sleep 0.1
done

keep kube-controller-manager kube-controller-manager --kubeconfig "$RUN/kubeconfig/controller-manager" \
	--bind-address 127.0.0.1 --secure-port "$CONTROLLER_MANAGER_PORT" --leader-elect=false \
	--controllers '*,-nodeipam' --use-service-account-credentials --kube-api-qps 300 --kube-api-burst 600 \
	--service-account-private-key-file "$PKI/service-account.key" --root-ca-file "$PKI/ca.crt" \
	--cluster-signing-cert-file "$PKI/ca.crt" --cluster-signing-key-file "$PKI/ca.key" \
	--flex-volume-plugin-dir "$RUN/volume-plugins"

keep kube-scheduler kube-scheduler --kubeconfig "$RUN/kubeconfig/scheduler" \
	--bind-address 127.0.0.1 --secure-port "$SCHEDULER_PORT" --leader-elect=false

keep kubelet kubelet --config "$RUN/config/kubelet.yaml" --kubeconfig "$RUN/kubeconfig/kubelet" \
	--hostname-override "$NODE_NAME" --node-ip "$BRIDGE_ADDRESS"

keep kube-proxy kube-proxy --config "$RUN/config/kube-proxy.yaml"

keep coredns coredns -quiet -conf "$RUN/config/Corefile"

wait
