# shellcheck shell=bash
# Chooses addresses, ports and a bridge that nothing on the machine uses, and makes the bridge.

# change UNDO COMMAND... notes how to undo a change to the machine before making it, so that "down" works after a kill at any point.
change() {
	echo "$1" >>"$RUN/undo"
	shift
	"$@"
}

# free_network NETWORK: no route but the default one leads there, and none lies inside.
free_network() {
	[[ -z $({ ip -4 route show table all to match "$1" && ip -4 route show table all to root "$1"; } | grep -v ^default) ]]
}

# free_port PORT prints the first port from PORT on that nothing listens on.
free_port() {
	local port=$1
	while ss -Htln "sport = :$port" | grep -q .; do
		port=$((port + 1))
	done
	echo "$port"
}

choose_network() {
	local pods services n=0
	for pods in $(seq 88 2 200) none; do
		services=$((pods + 1))
		free_network "10.$pods.0.0/16" && free_network "10.$services.0.0/16" && break
	done
	[[ $pods != none ]] || die "found no two free networks in 10.0.0.0/8"
	while ip link show "relgate$n" &>/dev/null; do
		n=$((n + 1))
	done

	BRIDGE=relgate$n
	POD_NETWORK=10.$pods.0.0/16
	SERVICE_NETWORK=10.$services.0.0/16
	BRIDGE_ADDRESS=10.$pods.0.1
	KUBERNETES_ADDRESS=10.$services.0.1 # Kubernetes gives its own Service the first address
	NODE_NAME=local

	APISERVER_PORT=$(free_port 6443)
	ETCD_PORT=$(free_port 2379)
	ETCD_PEER_PORT=$(free_port $((ETCD_PORT + 1)))
	KUBELET_PORT=$(free_port 10250)
	CONTROLLER_MANAGER_PORT=$(free_port 10257)
	SCHEDULER_PORT=$(free_port 10259)
	PROXY_HEALTH_PORT=$(free_port 10256)
	PROXY_METRICS_PORT=$(free_port 10249)
}

make_bridge() {
	change "remove_bridge $BRIDGE" ip link add "$BRIDGE" type bridge
	ip address replace "$BRIDGE_ADDRESS/16" dev "$BRIDGE"
	ip link set "$BRIDGE" up
	# The kernel sends to a Service's address, for kube-proxy's rules to rewrite, only if a route leads there. It must not
	# lead back to the bridge: pods would be told to ask for the address there, and a Service without endpoints would not
	# answer instead of refusing.
	change "ip route delete $SERVICE_NETWORK dev lo" ip route replace "$SERVICE_NETWORK" dev lo src "$BRIDGE_ADDRESS"

	# What runs in the cluster talks with itself and this machine only.
	change "nft delete table inet $BRIDGE" nft -f - <<-TEXT
		table inet $BRIDGE {
			chain forwarding {
				type filter hook forward priority filter
				iifname $BRIDGE oifname != $BRIDGE reject
				oifname $BRIDGE iifname != $BRIDGE reject
			}
		}
	TEXT
	# kube-proxy makes these two.
	printf 'nft delete table %s kube-proxy\n' ip ip6 >>"$RUN/undo"

	change "sysctl -qw net.ipv4.ip_forward=$(sysctl -n net.ipv4.ip_forward)" sysctl -qw net.ipv4.ip_forward=1
}

# The kubelet makes and changes these.
note_kubelet_changes() {
	local name
	echo "retry remove_cgroups" >>"$RUN/undo"
	for name in vm.overcommit_memory kernel.panic kernel.panic_on_oops; do
		echo "sysctl -qw $name=$(sysctl -n $name)" >>"$RUN/undo"
	done
}

# Mount points for the folders that lib/init.sh hides; the kubelet, containerd and mount have them built in.
HIDDEN_FOLDERS=(/run/mount /run/containerd /var/lib/cni /var/lib/kubelet /var/log/containers)
make_hidden_folders() {
	local folder
	for folder in "${HIDDEN_FOLDERS[@]}"; do
		[[ -d $folder ]] || change "rmdir $folder" mkdir "$folder"
	done
}
