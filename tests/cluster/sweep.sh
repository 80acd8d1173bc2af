# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Finds and removes what a cluster has on the machine. Sourced by `down`. A process is the cluster's if it carries
# the mark that start() gave (children inherit it), if it is in the node's cgroup (containers), or if it has the
# node's containerd socket as an argument (shims). Nothing else is ever signalled.

# cluster_pids: one a line
cluster_pids() {
	{
		environ_has "KRUISED_CLUSTER_PROCESS=$dir"
		container_pids
		if [ -n "${socket:-}" ]; then cmdline_has "$socket"; fi
	} | grep -vx -e $$ -e 0 | sort -un
}
environ_has() { grep -lszxF -- "$1" /proc/[0-9]*/environ | cut -d / -f 3; }
# a containerd-shim only: the user may have a client running with the same socket
cmdline_has() {
	local pid
	grep -lszxF -- "$1" /proc/[0-9]*/cmdline | cut -d / -f 3 | while read -r pid; do
		! grep -qs '^containerd-shim' "/proc/$pid/comm" || echo "$pid"
	done
}

# Paths of the node's control groups: its own, with the kubelet's pods, and those of containers that somebody made
# with containerd directly, if they end in the container's identifier, as they do by default.
cgroup_paths() {
	[ -z "${cgroup:-}" ] || echo "/$cgroup"
	local bundles=("$dir"/containerd/state/io.containerd.runtime.v2.task/*/*/config.json)
	[ ! -e "${bundles[0]}" ] || jq -r '(.linux.cgroupsPath // "") | select((split("/") | last) ==
		(input_filename | split("/") | .[-2]))' "${bundles[@]}" 2>/dev/null | grep -E '^/[^/]+/.' | grep -vF /../
}

# their folders, the innermost first; without cgroup v2 alone there are several trees
find_cgroups() {
	local tree path
	cgroup_paths | while read -r path; do
		awk '$3 ~ /^cgroup2?$/ {print $2}' /proc/mounts | while read -r tree; do
			[ ! -d "$tree$path" ] || find "$tree$path" -depth -type d 2>/dev/null
		done
	done
}
container_pids() { find_cgroups | while read -r d; do cat "$d/cgroup.procs" 2>/dev/null; done | sort -un; }

# Kills what is left until nothing is: a process may just have begun another.
no_process_left() {
	local pids
	pids=$(cluster_pids)
	[ -n "$pids" ] || return 0
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
	return 1
}

# The containers' processes only: the shims then see them end.
no_container_left() {
	local pids
	pids=$(container_pids)
	[ -n "$pids" ] || return 0
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
	return 1
}

no_cgroup_left() {
	local d
	find_cgroups | while read -r d; do rmdir "$d" 2>/dev/null; done
	[ -z "$(find_cgroups)" ]
}

# Mounts under the folder and network namespaces of a node are in its own mount namespace, and end with it.
# A start that failed early, or someone else, may still have mounted something here.
no_mount_left() {
	local m rc=0
	while read -r m; do
		umount -l "$m" 2>/dev/null || true
		rc=1
	done < <(awk -v d="$dir/" 'index($2, d) == 1 {print $2}' /proc/mounts | sort -r)
	return $rc
}

no_bridge_left() {
	local port
	# the kernel takes its time over the pods' ends of these
	for port in "/sys/class/net/$bridge"/brif/*; do ip link del "${port##*/}" 2>/dev/null; done
	ip link del "$bridge" 2>/dev/null
	! ip link show "$bridge" >/dev/null 2>&1
}

# sweep: fails if something stays
sweep() {
	local rc=0
	wait_for 20 "the last processes to die" no_process_left || rc=1
	wait_for 10 "the mounts to go" no_mount_left || rc=1
	wait_for 10 "the control groups to go" no_cgroup_left || rc=1
	if [ -n "${bridge:-}" ]; then wait_for 10 "the bridge to go" no_bridge_left || rc=1; fi
	return $rc
}
