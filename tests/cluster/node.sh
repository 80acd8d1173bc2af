# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
#
# A real node: registry with test images, containerd, CNI bridge, kubelet. Sourced by `up`. What needs no API
# server begins early: begin_node. The rest: finish_node, await_node.

begin_node() {
	registry_port=$(free_port)
	start_registry
	# containerd makes these modules' work possible; they may also be built in
	modprobe -a overlay bridge 2>/dev/null || true
	make_bridge
	choose_socket
	printf '%s=%q\n' bridge "$bridge" subnet "$subnet" socket "$socket" cgroup "$cgroup" >"$dir/node.env"
	make_cgroup
	start_node_namespace
	start_containerd
	must_serve docker-registry 60 curl -sf --max-time 5 "http://127.0.0.1:$registry_port/v2/"
	"$here/images" "$dir/images" "127.0.0.1:$registry_port" >"$dir/log/images.log" 2>&1 ||
		die "cannot make the test images: $(tail -n 5 "$dir/log/images.log")"
}

finish_node() {
	must_serve containerd 60 ctr --address "$socket" version
	start_kubelet
}

await_node() {
	must_serve kubelet 120 node_ready
}
node_ready() {
	api "api/v1/nodes/$node_name" | jq -e '.status.conditions[] | select(.type == "Ready" and .status == "True")'
}

# The bridge carries the node's address, since a kubelet refuses loopback. Its name tells its subnet: the kernel
# lets nobody else have the name, so no other cluster has the subnet. Recorded first, for `down`.
make_bridge() {
	local a b tries=0
	while :; do
		a=$((RANDOM % 76 + 20)) b=$((RANDOM % 256))
		bridge=kr-$a-$b subnet=10.$a.$b cgroup=kruised-$a-$b
		[ $((tries += 1)) -le 200 ] || die "no free network for the node under 10.20.0.0 to 10.95.255.0"
		# a subnet that some route other than the default one already serves is left alone
		[ $tries -gt 100 ] || ! ip -4 route show to match "$subnet.1" | grep -qv '^default' || continue
		if ip link add "$bridge" type bridge 2>/dev/null; then break; fi
	done
	echo "bridge=$bridge" >"$dir/node.env"
	ip addr add "$subnet.1/24" dev "$bridge"
	ip link set "$bridge" up
}

# The kubelet wants its root group to exist, in the one tree of cgroup v2 with the controllers it uses, else in each.
make_cgroup() {
	local tree c
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		mkdir -p "/sys/fs/cgroup/$cgroup"
		for c in cpu cpuset memory pids hugetlb; do
			echo "+$c" >/sys/fs/cgroup/cgroup.subtree_control
			echo "+$c" >"/sys/fs/cgroup/$cgroup/cgroup.subtree_control"
		done 2>/dev/null || true
		return
	fi
	awk '$3 ~ /^cgroup2?$/ {print $2}' /proc/mounts | while read -r tree; do
		mkdir -p "$tree/$cgroup"
		# a new group of cpuset has no processors, and no process can enter it
		for c in cpuset.cpus cpuset.mems; do
			[ ! -e "$tree/$c" ] || cat "$tree/$c" >"$tree/$cgroup/$c"
		done
	done
}

# the path of a Unix socket has at most 107 characters
choose_socket() {
	socket=$dir/containerd.sock
	if [ ${#socket} -gt 100 ]; then socket=$(mktemp -d /tmp/kruised-node.XXXXXX)/containerd.sock; fi
}

start_registry() {
	cat >"$dir/registry.yaml" <<YAML
version: 0.1
log: {level: warn, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $dir/registry}, delete: {enabled: true}}
http: {addr: "127.0.0.1:$registry_port"}
YAML
	start docker-registry docker-registry serve "$dir/registry.yaml"
}

# Everything but the folders that the namespace replaces is the machine's own.
start_node_namespace() {
	case $dir/ in
	/run/* | /var/run/* | /var/log/* | /var/lib/*) die "a node's folder cannot be in $(dirname "$dir"): choose another --dir" ;;
	esac
	start node-namespace unshare --mount --propagation private "$here/node-namespace" "$dir"
	must_serve node-namespace 20 test -e "$dir/run/node-namespace.ready"
	local pid
	read -r pid _ <"$dir/run/node-namespace.pid"
	in_node=(nsenter "--mount=/proc/$pid/ns/mnt" --)
}

start_containerd() {
	mkdir -p "$dir/cni"
	cat >"$dir/cni/10-bridge.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "$bridge", "plugins": [
  {"type": "bridge", "bridge": "$bridge", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$dir/cni-data", "ranges": [[{"subnet": "$subnet.0/24"}]],
            "routes": [{"dst": "0.0.0.0/0"}]}}]}
JSON
	# restrict_oom_score_adj: the machine may lack CAP_SYS_RESOURCE
	cat >"$dir/containerd.toml" <<TOML
version = 2
root = "$dir/containerd/root"
state = "$dir/containerd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt"]
[grpc]
  address = "$socket"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "127.0.0.1:$registry_port/pause:1"
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".registry.mirrors."127.0.0.1:$registry_port"]
    endpoint = ["http://127.0.0.1:$registry_port"]
TOML
	start containerd "${in_node[@]}" containerd --config "$dir/containerd.toml"
}

# The feature gates keep the kubelet from opening sockets at fixed places.
start_kubelet() {
	local args=() minor
	minor=$(minor_version kubelet)
	if [ "$minor" -lt 27 ]; then args+=(--container-runtime remote); fi
	if [ "$minor" -lt 26 ]; then args+=(--feature-gates 'DevicePlugins=false,KubeletPodResources=false'); fi
	client_cert node "system:node:$node_name" system:nodes
	kubeconfig "$dir/kubelet.kubeconfig" "$(cert_user node)"
	cp /etc/resolv.conf "$dir/resolv.conf" 2>/dev/null || : >"$dir/resolv.conf"
	cat >"$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $subnet.1
port: $(free_port)
healthzPort: 0
readOnlyPort: 0
authentication: {anonymous: {enabled: false}, webhook: {enabled: false}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$cgroup
cgroupsPerQOS: true
enforceNodeAllocatable: []
evictionHard: {}
failSwapOn: false
makeIPTablesUtilChains: false
resolvConf: $dir/resolv.conf
volumePluginDir: $dir/volume-plugins
serializeImagePulls: false
imageGCHighThresholdPercent: 100
syncFrequency: 10s
nodeStatusUpdateFrequency: 5s
registryPullQPS: 0
eventRecordQPS: 0
kubeAPIQPS: 200
kubeAPIBurst: 200
YAML
	start kubelet "${in_node[@]}" kubelet --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubelet.kubeconfig" \
		--root-dir "$dir/kubelet" --cert-dir "$dir/kubelet-pki" --hostname-override "$node_name" \
		--container-runtime-endpoint "unix://$socket" --node-ip "$subnet.1" "${args[@]}"
}
