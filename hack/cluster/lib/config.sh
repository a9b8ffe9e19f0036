# shellcheck shell=bash
# The components' configuration files. Settings that are also flags stand in lib/init.sh.

write_configuration() {
	mkdir -p "$RUN"/{config,config/cni,logs,pod-logs}
	cd "$RUN/config"

	# Tests read the audit log to prove who wrote what. Reads would drown it.
	cat >audit-policy.yaml <<-TEXT
		apiVersion: audit.k8s.io/v1
		kind: Policy
		omitStages: [RequestReceived]
		rules:
		- level: Metadata
		  verbs: [create, update, patch, delete, deletecollection]
		- level: None
	TEXT

	# - restrict_oom_score_adj: without CAP_SYS_RESOURCE no sandbox would start.
	# - netns_mounts_under_state_dir: keeps the pods' network namespaces inside our mount namespace, so that they end with it.
	cat >containerd.toml <<-TEXT
		version = 3
		root = "$RUN/containerd"
		state = "/run/containerd"

		[plugins."io.containerd.cri.v1.images".pinned_images]
		sandbox = "docker.io/local/pause:1"

		[plugins."io.containerd.cri.v1.runtime"]
		restrict_oom_score_adj = true
		netns_mounts_under_state_dir = true

		[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
		runtime_type = "io.containerd.runc.v2"

		[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
		BinaryName = "$BIN/runc"

		[plugins."io.containerd.cri.v1.runtime".cni]
		bin_dirs = ["$BIN"]
		conf_dir = "$RUN/config/cni"

		[plugins."io.containerd.internal.v1.opt"]
		path = "$RUN/containerd-opt"

		[plugins."io.containerd.nri.v1.nri"]
		disable = true
	TEXT

	cat >cni/10-bridge.conflist <<-TEXT
		{
		  "cniVersion": "1.0.0",
		  "name": "pods",
		  "plugins": [{
		    "type": "bridge",
		    "bridge": "$BRIDGE",
		    "isDefaultGateway": true,
		    "hairpinMode": true,
		    "ipam": {"type": "host-local", "ranges": [[{"subnet": "$POD_NETWORK"}]]}
		  }]
		}
	TEXT

	# The kubelet refuses to manage less than it would like to on this kind of machine (cgroup v1, swap, no iptables)
	# unless told so.
	cat >kubelet.yaml <<-TEXT
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		address: $BRIDGE_ADDRESS
		port: $KUBELET_PORT
		healthzPort: 0
		tlsCertFile: $RUN/pki/kubelet.crt
		tlsPrivateKeyFile: $RUN/pki/kubelet.key
		authentication:
		  anonymous: {enabled: false}
		  webhook: {enabled: true}
		  x509: {clientCAFile: $RUN/pki/ca.crt}
		authorization: {mode: Webhook}
		containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
		clusterDNS: [$BRIDGE_ADDRESS]
		clusterDomain: cluster.local
		resolvConf: ""
		podLogsDir: $RUN/pod-logs
		volumePluginDir: $RUN/volume-plugins
		cgroupDriver: cgroupfs
		failCgroupV1: false
		failSwapOn: false
		enforceNodeAllocatable: []
		evictionHard: {}
		localStorageCapacityIsolation: false
		makeIPTablesUtilChains: false
		imageGCHighThresholdPercent: 100 # an image loaded by hand cannot be pulled again
	TEXT

	# - masqueradeAll: the answer of a pod on the same bridge would otherwise go straight to the asking pod,
	#   which knows only the Service's address.
	# - conntrack: zeros leave the machine's settings alone.
	cat >kube-proxy.yaml <<-TEXT
		apiVersion: kubeproxy.config.k8s.io/v1alpha1
		kind: KubeProxyConfiguration
		mode: nftables
		clientConnection: {kubeconfig: $RUN/kubeconfig/kube-proxy}
		hostnameOverride: $NODE_NAME
		clusterCIDR: $POD_NETWORK
		healthzBindAddress: 127.0.0.1:$PROXY_HEALTH_PORT
		metricsBindAddress: 127.0.0.1:$PROXY_METRICS_PORT
		nftables: {masqueradeAll: true, minSyncPeriod: 100ms} # a new Service should work at once
		conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
	TEXT

	# Names outside the cluster do not exist: nothing is forwarded.
	cat >Corefile <<-TEXT
		cluster.local {
			bind $BRIDGE_ADDRESS
			errors
			kubernetes cluster.local {
				kubeconfig $RUN/kubeconfig/coredns
			}
		}
		. {
			bind $BRIDGE_ADDRESS
			template ANY ANY {
				rcode NXDOMAIN
			}
		}
	TEXT

	cd "$REPO"
}

# What others need to know: other scripts source it, and so does every later command of ours.
write_env() {
	local name
	for name in BRIDGE_ADDRESS KUBECONFIG BIN RUN AUDIT_LOG BRIDGE POD_NETWORK SERVICE_NETWORK NODE_NAME \
		APISERVER_PORT ETCD_PORT ETCD_PEER_PORT KUBELET_PORT CONTROLLER_MANAGER_PORT SCHEDULER_PORT; do
		printf '%s=%q\n' "$name" "${!name}"
	done >"$STATE/env"
}
