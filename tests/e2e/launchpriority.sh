#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Container launch priority with a real kubelet: containers start one after the other, each once those before it are
# ready, and an update in place later starts its container at once.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup launch --node
start_kruised

anno=apps.kruise.io/container-launch-priority
# clone NAME ANNOTATIONS 'CONTAINERS' : a CloneSet of one pod
clone() {
	cat <<END
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: 1
  selector: {matchLabels: {app: $1}}
  updateStrategy: {type: InPlaceIfPossible}
  template:
    metadata: {labels: {app: $1, test: order}, annotations: {$2}}
    spec: {terminationGracePeriodSeconds: 1, containers: [$3]}
END
}
# container NAME [PRIORITY] : it becomes ready a while after its start, so that "running" and "ready" differ
container() {
	local env=''
	[ $# -lt 2 ] || env=", env: [{name: KRUISE_CONTAINER_PRIORITY, value: '$2'}]"
	echo "{name: $1, image: '$REGISTRY/app:v1', readinessProbe: {exec: {command: ['true']}, initialDelaySeconds: 1, periodSeconds: 1}$env}"
}
pod_of() { kubectl get pods -l "app=$1" -o json | jq -r '.items[0]'; }
ready() { [ "$(pod_of "$1" | jq -r '[.status.conditions[]? | select(.type == "Ready")][0].status')" = True ]; }
completed() { pod_of "$1" | jq -r --arg a "$anno-completed" '.metadata.annotations[$a] // ""'; }
# every version of the pod: a container that runs, or has run, has seen those before it ready
in_order() { # APP CONTAINER…
	jq -se --arg app "$1" --args '$ARGS.positional as $order | [.[] | .object | select(.metadata.labels.app == $app)
		| (.status.containerStatuses // []) as $s | range(1; $order | length) as $i
		| ($s[] | select(.name == $order[$i]) | .state.running != null) as $runs | select($runs)
		| all($order[0:$i][]; . as $n | any($s[]; .name == $n and .ready))] | length > 0 and all' "${@:2}" <"$work/watch"
}
# kubelet says when it started them, in whole seconds
starts() { pod_of "$1" | jq -r '[.status.containerStatuses[] | [.state.running.startedAt, .name]] | sort | map(.[1]) | join(" ")'; }

# covers: inplace:S25 inplace:P1 inplace:P2 inplace:P3
record "$work/watch" 0 pods -l test=order
clone ordered "$anno: Ordered" "$(container a), $(container b), $(container c)" | kubectl create -f - >/dev/null
clone weighed '' "$(container a), $(container b -5), $(container c 10)" | kubectl create -f - >/dev/null
for name in ordered weighed; do
	check "$name: the pod becomes ready" until_true 180 ready $name
	check "$name: it is marked" becomes 20 true completed $name
done
both_seen() { [ "$(jq -s '[.[].object | select(.status.conditions[]? | .type == "Ready" and .status == "True") | .metadata.name] | unique | length' "$work/watch")" = 2 ]; }
until_true 20 both_seen
kill "$recorder"
check "containers started in spec order" in_order ordered a b c
check "containers started by priority" in_order weighed c a b
check_eq "kubelet's times say so too: spec order" "a b c" "$(starts ordered)"
check_eq "kubelet's times say so too: priority" "c a b" "$(starts weighed)"
check_eq "no container was restarted" 0 "$(kubectl get pods -l test=order -o json | jq '[.items[].status.containerStatuses[].restartCount] | add')"

# the first one again: the barrier is still there for it
uid=$(pod_of ordered | jq -r .metadata.uid)
kubectl patch clone ordered --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"'"$REGISTRY"'/app:v2"}]' >/dev/null
updated() { kubectl get clone ordered -o json | jq -es '.[0] | .status.observedGeneration == .metadata.generation and .status.updatedReadyReplicas == 1'; }
check "an update in place goes through" until_true 120 updated
check_eq "the same pod, one container restarted" "$uid 1 0 0" \
	"$(pod_of ordered | jq -r '"\(.metadata.uid) \([.status.containerStatuses | sort_by(.name)[].restartCount | tostring] | join(" "))"')"
finish
