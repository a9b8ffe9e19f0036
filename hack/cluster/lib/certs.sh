# shellcheck shell=bash
# One certificate authority for all, a certificate per component, and the kubeconfigs. New ones for every run.

# issue NAME SUBJECT [SUBJECT-ALT-NAMES]
issue() {
	local name=$1 subject=$2 names=()
	[[ -z ${3:-} ]] || names=(-addext "subjectAltName=$3")
	openssl req -x509 -config openssl.cnf -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 \
		-CA ca.crt -CAkey ca.key -subj "$subject" -addext basicConstraints=critical,CA:FALSE \
		-addext extendedKeyUsage=serverAuth,clientAuth "${names[@]}" -keyout "$name.key" -out "$name.crt" 2>/dev/null
}

# kubeconfig NAME OUTPUT embeds the certificates, so that the file works wherever it is copied.
kubeconfig() {
	cat >"$2" <<-TEXT
		apiVersion: v1
		kind: Config
		current-context: relevance-gate-local
		contexts: [{name: relevance-gate-local, context: {cluster: relevance-gate-local, user: $1}}]
		clusters:
		- name: relevance-gate-local
		  cluster:
		    server: https://$BRIDGE_ADDRESS:$APISERVER_PORT
		    certificate-authority-data: $(base64 -w0 ca.crt)
		users:
		- name: $1
		  user:
		    client-certificate-data: $(base64 -w0 "$1.crt")
		    client-key-data: $(base64 -w0 "$1.key")
	TEXT
}

write_certificates() {
	mkdir -p "$RUN/pki" "$RUN/kubeconfig"
	cd "$RUN/pki"
	printf '[req]\ndistinguished_name=dn\n[dn]\n' >openssl.cnf # the machine's own file would add extensions
	openssl req -x509 -config openssl.cnf -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=relevance-gate-local \
		-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,digitalSignature \
		-keyout ca.key -out ca.crt 2>/dev/null
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out service-account.key 2>/dev/null
	openssl pkey -in service-account.key -pubout -out service-account.pub

	local kubernetes=DNS:kubernetes.default.svc
	issue etcd /CN=etcd "IP:$BRIDGE_ADDRESS"
	issue apiserver /CN=kube-apiserver "$kubernetes,$kubernetes.cluster.local,DNS:kubernetes.default,DNS:kubernetes,IP:$BRIDGE_ADDRESS,IP:$KUBERNETES_ADDRESS"
	issue kubelet "/O=system:nodes/CN=system:node:$NODE_NAME" "DNS:$NODE_NAME,IP:$BRIDGE_ADDRESS"
	issue admin /O=system:masters/CN=admin
	issue controller-manager /CN=system:kube-controller-manager
	issue scheduler /CN=system:kube-scheduler
	issue kube-proxy /CN=system:kube-proxy
	issue coredns /CN=system:coredns

	local name
	for name in kubelet controller-manager scheduler kube-proxy coredns; do
		kubeconfig "$name" "$RUN/kubeconfig/$name"
	done
	(umask 077 && kubeconfig admin "$KUBECONFIG")
	chmod 700 "$RUN/pki" "$RUN/kubeconfig"
	cd "$REPO"
}
