# shellcheck shell=bash
# Stopping the cluster and undoing what it did to the machine; also after a run that was killed anywhere.

# clean may be called at any time, any number of times.
clean() {
	if [[ -n $(holder) ]]; then
		# The holder ends when process 1 of its namespace has, and that one when all others have.
		kill -KILL "$(first_process)" 2>/dev/null || kill -KILL "$(holder)" 2>/dev/null || true
		while [[ -n $(holder) ]]; do
			sleep 0.05
		done
	fi
	if [[ -e $RUN/undo ]]; then
		refuse_second_cluster # it could only have started after our run was killed; undoing that run now would break it
		tac "$RUN/undo" | while read -r line; do
			$line 2>/dev/null || true # never done, or gone already
		done
	fi
	retry rm -rf --one-file-system "$RUN"
	rm -f "$KUBECONFIG" "$STATE/env"
}

cluster_down() {
	((EUID == 0)) || die "stopping a cluster needs root"
	lock_machine
	step "stopped and cleaned" clean
}

remove_cgroups() {
	find /sys/fs/cgroup -depth -type d -path '*/kubepods*' -exec rmdir {} + 2>/dev/null
}

remove_bridge() {
	local port
	# The kernel removes a pod's pair of interfaces some time after its network namespace has ended.
	for port in "/sys/class/net/$1/brif"/*; do
		ip link delete "${port##*/}" || true
	done
	ip link delete "$1"
}

# retry COMMAND... for up to 10 seconds: what held a folder may take a moment to go.
retry() {
	local _
	for _ in $(seq 100); do
		"$@" && return
		sleep 0.1
	done
	say "gave up: $*"
}
