#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The node simulator against a real API server: pods become ready, gates count, images change in place,
# pods are deleted, faults happen as asked, and restarts of either side lose nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
cluster=nodesim-$$
work=$(mktemp -d)
sim_pid=
passed=0 failed=0

finish() {
	[ -z "$sim_pid" ] || kill "$sim_pid" 2>/dev/null
	tests/cluster/down --name "$cluster" >/dev/null 2>&1
	if [ "$failed" -gt 0 ]; then tail -n 40 "$work/nodesim.log"; fi
	rm -rf "$work"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# ok NAME COMMAND… : one test by exit status
ok() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok - $name"
	else
		failed=$((failed + 1))
		echo "not ok - $name"
	fi
}

give_up() {
	echo "not ok - $1"
	failed=$((failed + 1))
	finish
	exit 1
}

# api METHOD PATH [BODY [TYPE]]
api() {
	curl -sS --max-time 20 --cacert "$CLUSTER_CA" -H "Authorization: Bearer $APISERVER_TOKEN" -X "$1" \
		${3:+-H "Content-Type: ${4:-application/json}" --data-binary "$3"} "$APISERVER$2"
}
pods=/api/v1/namespaces/default/pods
merge=application/merge-patch+json strategic=application/strategic-merge-patch+json

# field POD JQ: an expression of the pod
field() { api GET "$pods/$1" | jq -r "$2"; }
# is POD JQ VALUE
is() { [ "$(field "$1" "$2" 2>/dev/null)" = "$3" ]; }
# until_is POD JQ VALUE: waits for it; says what it was instead
until_is() {
	local deadline=$((SECONDS + 30))
	until is "$@"; do
		if [ $SECONDS -ge $deadline ]; then
			echo "# $1: $2 is $(field "$1" "$2"), not $3"
			return 1
		fi
		sleep 0.1
	done
}
cond() { echo "((.status.conditions[]? | select(.type == \"$1\") | .status) // \"\")"; }
reason() { echo "((.status.conditions[]? | select(.type == \"$1\") | .reason) // \"\")"; }
container='.status.containerStatuses[0]'

# pod NAME [ANNOTATIONS [SPEC [METADATA]]]: JSON objects that are merged into it
pod() {
	local none='{}'
	jq -n --arg name "$1" --argjson a "${2:-$none}" --argjson s "${3:-$none}" --argjson m "${4:-$none}" '{
		apiVersion: "v1", kind: "Pod", metadata: ({name: $name, annotations: $a} + $m),
		spec: ({containers: [{name: "main", image: "nginx:1"}], automountServiceAccountToken: false} + $s)}'
}
create() { [ "$(api POST $pods "$(pod "$@")" | jq -r .kind)" = Pod ]; }
set_image() { api PATCH "$pods/$1" "{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"$2\"}]}}" $strategic >/dev/null; }
set_gate() { api PATCH "$pods/$1/status" "{\"status\":{\"conditions\":[{\"type\":\"$2\",\"status\":\"$3\"}]}}" $strategic >/dev/null; }
annotate() { api PATCH "$pods/$1" "{\"metadata\":{\"annotations\":{\"$2\":$3}}}" $merge >/dev/null; }
remove() { api DELETE "$pods/$1${2:+?gracePeriodSeconds=$2}" >/dev/null; }
gone() {
	local deadline=$((SECONDS + 30))
	until [ "$(field "$1" .reason)" = NotFound ]; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

start_sim() {
	rm -f "$work/ready"
	"$build/nodesim" --nodes 3 --bind --ready-file "$work/ready" >>"$work/nodesim.log" 2>&1 &
	sim_pid=$!
	local deadline=$((SECONDS + 60))
	until [ -e "$work/ready" ]; do
		if [ $SECONDS -ge $deadline ] || ! kill -0 $sim_pid 2>/dev/null; then return 1; fi
		sleep 0.1
	done
}
stop_sim() {
	kill "-$1" "$sim_pid"
	wait "$sim_pid" 2>/dev/null
}

env=$(tests/cluster/up --name "$cluster" --no-scheduler) || give_up "the cluster starts"
# shellcheck disable=SC1090
. "$env"
trap 'finish; exit' EXIT
start_sim || give_up "the simulator starts"

nodes_ready() {
	[ "$(api GET /api/v1/nodes | jq '[.items[] | select(.spec.taints == null) | .status.conditions[]
		| select(.type == "Ready" and .status == "True")] | length')" = 3 ]
}
leases() { [ "$(api GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases | jq '.items | length')" = 3 ]; }
ok "nodes are registered and ready" nodes_ready
ok "nodes have leases" leases

# --- start
many() {
	local i deadline=$((SECONDS + 60))
	for i in {1..20}; do create "many-$i" '{}' '{}' '{"labels":{"app":"many"}}' || return 1; done
	until [ "$(api GET "$pods?labelSelector=app=many" | jq '[.items[] | select(.status.phase == "Running")
		| select(any(.status.conditions[]; .type == "Ready" and .status == "True"))] | length')" = 20 ]; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}
ok "20 pods become ready" many
distinct() { [ "$(api GET "$pods?labelSelector=app=many" | jq "[.items[] | $1] | unique | length")" = "$2" ]; }
ok "each has its own address" distinct .status.podIP 20
ok "each has its own container ID" distinct '.status.containerStatuses[0].containerID' 20
ok "they are spread over the nodes" distinct .spec.nodeName 3

# --- gates
create gated '{}' '{"readinessGates":[{"conditionType":"GateA"},{"conditionType":"GateB"}]}'
ok "with gates: containers are ready" until_is gated "$(cond ContainersReady)" True
ok "with gates: the pod is not" until_is gated "$(cond Ready) + \"/\" + $(reason Ready)" False/ReadinessGatesNotReady
ok "the scheduler's condition is kept" is gated "$(cond PodScheduled)" True
set_gate gated GateA True
set_gate gated GateB False
ok "one gate is not enough, and is named" until_is gated '.status.conditions[] | select(.type == "Ready") | .message' \
	'the status of pod readiness gate "GateB" is not "True", but False'
set_gate gated GateB True
ok "all gates: ready" until_is gated "$(cond Ready)" True
ok "no reason is left" is gated "$(reason Ready)" ''
set_gate gated GateA False
ok "a gate that closes takes Ready away" until_is gated "$(cond Ready)" False
ok "conditions of others stay" is gated "$(cond GateB)" True

# --- image change
before=$(field many-1 '.metadata.uid + .status.podIP')
id=$(field many-1 "$container.containerID")
# every version of the pod, while it is changed
version=$(field many-1 .metadata.resourceVersion)
curl -sN --max-time 60 --cacert "$CLUSTER_CA" -H "Authorization: Bearer $APISERVER_TOKEN" \
	"$APISERVER$pods?watch=true&fieldSelector=metadata.name=many-1&resourceVersion=$version" >"$work/watch" 2>/dev/null &
watch_pid=$!
set_image many-1 nginx:2
ok "a changed image restarts the container" until_is many-1 "$container | \"\(.restartCount) \(.imageID)\"" "1 sim://nginx:2"
ok "and it is ready again" until_is many-1 "$(cond Ready)" True
ok "uid and address stay" is many-1 '.metadata.uid + .status.podIP' "$before"
other_id() { [ "$(field many-1 "$container.containerID")" != "$id" ]; }
ok "the container ID is another" other_id
sequence() {
	local deadline=$((SECONDS + 10)) want='True 0,False 0,True 1' got
	while :; do
		got=$(jq -r '.object.status | "\(.conditions[] | select(.type == "ContainersReady") | .status) \(.containerStatuses[0].restartCount)"' \
			"$work/watch" 2>/dev/null | uniq | paste -sd,)
		[ "$got" != "$want" ] || return 0
		if [ $SECONDS -ge $deadline ]; then echo "# $got" && return 1; fi
		sleep 0.1
	done
}
ok "a watch saw it not ready in between" sequence
kill $watch_pid 2>/dev/null
wait $watch_pid 2>/dev/null
set_image many-2 nginx:3
set_image many-2 nginx:4
ok "two quick changes end with the last image" until_is many-2 "$container.imageID" sim://nginx:4
ok "and the pod is ready" until_is many-2 "$(cond Ready)" True

# --- deletion
remove many-3
ok "a deleted pod goes" gone many-3
create held '{}' '{}' '{"finalizers":["test.kruised.io/hold"]}'
until_is held "$(cond Ready)" True
remove held
ok "with a finalizer its containers end" until_is held "$container.state | keys[0]" terminated
ok "and it is not ready" until_is held "$(cond Ready)" False
api PATCH $pods/held '{"metadata":{"finalizers":null}}' $merge >/dev/null
ok "without the finalizer it goes" gone held
create many-3
ok "a new pod of an old name starts" until_is many-3 "$(cond Ready)" True

# --- init containers
create inits '{}' '{"initContainers":[{"name":"one","image":"a:1"},{"name":"two","image":"b:1"}]}'
ok "init containers complete, then the pod is ready" until_is inits "$(cond Ready) + \"/\" + $(cond Initialized)" True/True
ok "they ended well" is inits '[.status.initContainerStatuses[].state.terminated.reason] | join(",")' Completed,Completed

# --- faults
create never '{"sim.kruised.io/never-ready":"true"}'
create crash '{"sim.kruised.io/crash":"main"}'
create pull '{"sim.kruised.io/pull-error":"nginx:1"}'
create exit0 '{"sim.kruised.io/exit":"0"}'
create exit3 '{"sim.kruised.io/exit":"3","sim.kruised.io/start-delay":"0s"}'
ok "never-ready: runs" until_is never '.status.phase' Running
ok "never-ready: is not ready" is never "$(cond Ready) + \"/\" + $(reason Ready)" False/ContainersNotReady
annotate never sim.kruised.io/never-ready null
ok "never-ready taken away: ready" until_is never "$(cond Ready)" True
ok "crash: restarts are counted" until_is crash "$container | .restartCount >= 2" true
ok "crash: in back-off" is crash "$container.state.waiting.reason" CrashLoopBackOff
annotate crash sim.kruised.io/crash null
ok "crash taken away: ready" until_is crash "$(cond Ready)" True
ok "pull error: waits" until_is pull "$container.state.waiting.reason" ErrImagePull
set_image pull nginx:2
ok "pull error: another image starts" until_is pull "$(cond Ready)" True
set_image pull nginx:broken
ok "an image called broken is never pulled" until_is pull "$container.state.waiting.reason" ErrImagePull
ok "and what ran before is still named" is pull "$container.imageID" sim://nginx:2
ok "exit 0: Succeeded" until_is exit0 .status.phase Succeeded
ok "exit 3: Failed" until_is exit3 .status.phase Failed
ok "exit 3: the code is told" is exit3 "$container.state.terminated.exitCode" 3

# --- a node that falls silent
node=$(field many-5 .spec.nodeName)
silence() { api PATCH "/api/v1/nodes/$node" "{\"metadata\":{\"annotations\":{\"sim.kruised.io/silent\":$1}}}" $merge >/dev/null; }
silence '"true"'
heard() { grep -q "node $node is $1" "$work/nodesim.log"; }
until_heard() {
	local deadline=$((SECONDS + 20))
	until heard "$1"; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}
ok "a node is made silent" until_heard silent
set_image many-5 nginx:9
create witness '{}' "{\"nodeName\":\"$([ "$node" = sim-0 ] && echo sim-1 || echo sim-0)\"}"
ok "other nodes work on" until_is witness "$(cond Ready)" True
ok "its pods are not touched" is many-5 "$container.imageID" sim://nginx:1
silence null
ok "awake again, it catches up" until_is many-5 "$container.imageID" sim://nginx:9

# --- restarts
sum() { api GET "$pods?labelSelector=app=many" | jq -c '[.items[].metadata.resourceVersion]'; }
before=$(sum)
stop_sim KILL
start_sim || give_up "the simulator starts again"
create after-restart
ok "a restarted simulator starts new pods" until_is after-restart "$(cond Ready)" True
unchanged() { [ "$(sum)" = "$before" ]; }
ok "and rewrites no old one" unchanged
new_address() { [ "$(api GET $pods | jq '[.items[].status.podIP | select(.)] | length - (unique | length)')" = 0 ]; }
ok "the new pod's address is new" new_address
stop_sim KILL
set_image many-6 nginx:5
remove many-7
start_sim || give_up "the simulator starts again"
ok "an image changed meanwhile is restarted" until_is many-6 "$container | \"\(.restartCount) \(.imageID)\"" "1 sim://nginx:5"
ok "a pod deleted meanwhile goes" gone many-7

restart_apiserver() {
	local pid args
	read -r pid _ <"$CLUSTER_DIR/run/kube-apiserver.pid"
	mapfile -d '' args <"/proc/$pid/cmdline"
	# shellcheck disable=SC2034
	dir=$CLUSTER_DIR
	# shellcheck source=tests/cluster/lib.sh
	. tests/cluster/lib.sh
	stop kube-apiserver KILL
	start kube-apiserver "${args[@]}"
	must_serve kube-apiserver 60 api_ready
}
api_ready() { [ "$(api GET /readyz)" = ok ]; }
ok "the API server restarts" restart_apiserver
created() {
	local deadline=$((SECONDS + 30))
	until create after-api; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.2
	done
}
ok "pods can be created again" created
ok "the simulator goes on" until_is after-api "$(cond Ready)" True
set_image many-8 nginx:6
ok "also with old pods" until_is many-8 "$container.imageID" sim://nginx:6

stop_sim TERM
ok "SIGTERM ends it well" [ $? -eq 0 ]
sim_pid=
