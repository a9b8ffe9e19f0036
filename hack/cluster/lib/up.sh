# shellcheck shell=bash
# Starting the cluster, and looking at a running one.

# runs prints "PID FOLDER" for each cluster on the machine, of any checkout: the process that holds its namespace names the
# folder in its command line, so nothing has to be written down.
runs() {
	local file argv pid
	for file in /proc/[0-9]*/cmdline; do
		{ mapfile -d '' -t argv <"$file"; } 2>/dev/null || continue # it has just ended
		if [[ ${argv[0]:-} == unshare && ${#argv[@]} -gt 2 && ${argv[-2]} == */hack/cluster/lib/init.sh ]]; then
			pid=${file#/proc/}
			echo "${pid%/cmdline} ${argv[-2]%/hack/cluster/lib/init.sh}"
		fi
	done
}

# holder prints the pid of the process that holds our namespace, or nothing.
holder() {
	local pid folder
	while read -r pid folder; do
		[[ $folder != "$REPO" ]] || echo "$pid"
	done < <(runs)
}

# first_process prints process 1 of our namespace, as the machine numbers it.
first_process() {
	local pid
	pid=$(holder)
	[[ -n $pid ]] && awk '{ print $1 }' "/proc/$pid/task/$pid/children"
}

is_up() {
	[[ -n $(holder) && -e $RUN/ready ]] && "$BIN/kubectl" get --raw /readyz --request-timeout 10s &>/dev/null
}

refuse_second_cluster() {
	local pid folder name levels
	while read -r pid folder; do
		[[ $folder == "$REPO" ]] ||
			die "a cluster of $folder runs on this machine, which has room for one (kube-proxy's rules are global); stop it with: $folder/hack/cluster/cluster down"
	done < <(runs)
	for name in kubelet kube-proxy; do
		for pid in $(pgrep -x "$name"); do
			levels=$(awk '/^NSpid/ { print NF - 1 }' "/proc/$pid/status" 2>/dev/null) || continue # it has just ended
			((levels > 1)) || # one in a namespace of its own does not disturb
				die "another $name (process $pid) runs on this machine, which has room for one Kubernetes node"
		done
	done
}

cluster_up() {
	((EUID == 0)) || die "starting a cluster needs root"
	need ip=iproute2 nft=nftables openssl=openssl pgrep=procps unshare=util-linux mount=mount
	BIN=$(cluster_build)
	lock_machine
	refuse_second_cluster
	if is_up; then
		say "running already"
		echo "$KUBECONFIG"
		return
	fi
	clean # the remains of a killed run

	mkdir -p "$RUN"
	trap 'say "not up; logs: $RUN/logs; \"cluster down\" cleans up"' EXIT
	choose_network
	AUDIT_LOG=$RUN/audit.log
	write_env
	step "network" prepare_machine
	step "certificates" write_certificates
	write_configuration
	start_namespace
	step "API server ready" wait_until "$BIN/kubectl" get --raw /readyz
	# Its name resolution needs to list Services and EndpointSlices.
	"$BIN/kubectl" create clusterrolebinding coredns --clusterrole=view --user=system:coredns >/dev/null
	step "pause image" wait_until import "$BIN/pause.tar"
	step "node ready" wait_until "$BIN/kubectl" wait --for=condition=Ready "node/$NODE_NAME" --timeout=60s
	step "default ServiceAccount" wait_until "$BIN/kubectl" get serviceaccount default
	touch "$RUN/ready"
	trap - EXIT
	echo "$KUBECONFIG"
}

prepare_machine() {
	make_bridge
	note_kubelet_changes
	make_hidden_folders
}

start_namespace() {
	{
		cat "$STATE/env"
		declare -p HIDDEN_FOLDERS
		echo "export KUBECONFIG KUBECACHEDIR=$(printf %q "$KUBECACHEDIR")"
	} >"$RUN/init.env"
	# A session of its own: the terminal's Ctrl-C is not for the cluster. Without the lock, which would be held for ever.
	setsid unshare --mount --propagation private --pid --fork --kill-child=KILL --mount-proc \
		"$HERE/lib/init.sh" "$RUN/init.env" </dev/null >"$RUN/logs/init.log" 2>&1 {MACHINE_LOCK}<&- &
	wait_until holder_found
}

holder_found() { [[ -n $(holder) ]]; }

# wait_until COMMAND... for at most a minute.
wait_until() {
	local deadline=$((SECONDS + 60))
	until "$@" &>/dev/null; do
		((SECONDS < deadline)) || die "waited in vain for: $*"
		sleep 0.1
	done
}

import() {
	nsenter --target "$(first_process)" --mount "$BIN/ctr" --namespace k8s.io images import --local "$1"
}

cluster_load() {
	[[ $# == 2 ]] || die "usage: cluster load BINARY IMAGE"
	[[ -n $(holder) ]] || die "the cluster is not running; start it with: hack/cluster/cluster up"
	# shellcheck source=/dev/null
	source "$STATE/env"
	local archive
	archive=$(mktemp --tmpdir="$RUN" image.XXXXXX.tar)
	"$BIN/image" "$1" "$2" "$archive"
	import "$archive" >&2
	rm "$archive"
}

cluster_status() {
	[[ -n $(holder) ]] || {
		echo "not running"
		return 1
	}
	# shellcheck source=/dev/null
	source "$STATE/env"
	echo "running in $RUN, KUBECONFIG=$KUBECONFIG"
	local name state healthy=0
	for name in containerd etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy coredns; do
		state=down
		[[ -z $(pgrep --ns "$(first_process)" --nslist pid -x "${name:0:15}") ]] || state=up
		[[ $state == up ]] || healthy=1
		printf '%-24s %s\n' "$name" "$state"
	done
	"$BIN/kubectl" get nodes || healthy=1
	return $healthy
}
