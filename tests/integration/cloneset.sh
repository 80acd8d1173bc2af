#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CloneSet against a real control plane with simulated nodes: creation, scaling, updates of each kind.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup cloneset
start_nodesim --nodes 4 --start-delay 100ms --restart-delay 100ms --kill-delay 50ms
start_kruised

# clone NAME REPLICAS 'UPDATE STRATEGY' [CONTAINER EXTRA] [SPEC EXTRA]: a manifest
clone() {
	cat <<EOF
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  updateStrategy: {$3}
${5:+  $5}
  template:
    metadata: {labels: {app: $1}, annotations: {note: one}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "nginx:1"${4:+, $4}}]
EOF
}
field() { kubectl get clone "$1" -o jsonpath="{$2}"; }
pods() { kubectl get pods -l "app=$1" -o json | jq -r ".items | map(select(.metadata.deletionTimestamp == null)) | sort_by(.metadata.name) | $2"; }
n_pods() { pods "$1" length; }
uids() { pods "$1" 'map(.metadata.uid) | sort | join(" ")'; }
images() { pods "$1" 'map(.spec.containers[0].image) | sort | join(" ")'; }
restarts() { pods "$1" 'map(.status.containerStatuses[0].restartCount) | add'; }
set_image() { kubectl patch clone "$1" --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"'"$2"'"}]'; }
revisions() { kubectl get controllerrevisions -o json | jq "[.items[] | select(.metadata.ownerReferences[0].name == \"$1\")] | length"; }
# the status has caught up with the spec, and all pods are ready at the update revision
settled() {
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.replicas == .spec.replicas and .status.updatedReadyReplicas == .spec.replicas
		and .status.readyReplicas == .spec.replicas' && [ "$(n_pods "$1")" = "$(field "$1" .spec.replicas)" ]
}
settle() { until_true 60 settled "$1" || { field "$1" .status && pods "$1" 'map([.metadata.name, .status.phase])' && return 1; }; }
patch() { kubectl patch clone "$1" --type merge -p "$2"; }

# --- creation ---
clone web 5 'type: InPlaceIfPossible, maxUnavailable: 1' | kubectl apply -f - >/dev/null
# covers: cloneset:Z1 cloneset:W1 cloneset:E1 cloneset:C3
check "five pods become ready" settle web
# covers: cloneset:P8
check_eq "each pod has its own instance id" 5 "$(pods web 'map(.metadata.labels["apps.kruise.io/cloneset-instance-id"]) | unique | length')"
# covers: cloneset:P8
check_eq "names end in the instance id" true "$(pods web 'all(.metadata.name == "web-" + .metadata.labels["apps.kruise.io/cloneset-instance-id"])')"
# covers: cloneset:P8
check_eq "the readiness gate is there" true "$(pods web 'all([.spec.readinessGates[].conditionType] | index("InPlaceUpdateReady") != null)')"
# covers: cloneset:P8
check_eq "the owner reference controls and blocks" true "$(pods web 'all(.metadata.ownerReferences | length == 1 and .[0].controller and .[0].blockOwnerDeletion and .[0].kind == "CloneSet")')"
# covers: inplace:L2 inplace:L8 cloneset:F4
check "lifecycle state Normal follows" becomes 20 Normal pods web 'map(.metadata.labels["lifecycle.apps.kruise.io/state"]) | unique | join(",")'
# covers: cloneset:S1 cloneset:C12
check "the status is whole" becomes 20 "5 5 5 5 5 5" field web '.status.replicas} {.status.readyReplicas} {.status.availableReplicas} {.status.updatedReplicas} {.status.updatedReadyReplicas} {.status.expectedUpdatedReplicas'
# covers: cloneset:P9
check "SuccessfulCreate is recorded" until_true 20 bash -c 'kubectl get events -o json | jq -e "[.items[] | select(.reason == \"SuccessfulCreate\" and .involvedObject.name == \"web\" and .source.component == \"cloneset-controller\")] | length > 0"'
check_eq "the columns of kubectl get clone" "NAME DESIRED UPDATED UPDATED_READY UPDATED_AVAILABLE READY TOTAL AGE" "$(kubectl get clone web | head -n 1 | tr -s ' ')"

# --- in-place ---
before=$(uids web) ips=$(pods web 'map(.status.podIP) | sort | join(" ")')
set_image web nginx:2 >/dev/null
check "an image change rolls" settle web
# covers: cloneset:Z6 cloneset:U8
check_eq "in place: the same pods" "$before" "$(uids web)"
check_eq "in place: the same addresses" "$ips" "$(pods web 'map(.status.podIP) | sort | join(" ")')"
check_eq "in place: the new image" "nginx:2 nginx:2 nginx:2 nginx:2 nginx:2" "$(images web)"
# covers: cloneset:Z6
check_eq "in place: one restart each" 5 "$(restarts web)"
check_eq "two revisions" 2 "$(revisions web)"

patch web '{"spec":{"template":{"metadata":{"annotations":{"note":"two","fresh":"x"}}}}}' >/dev/null
check "a metadata change rolls" settle web
# covers: cloneset:Z7 inplace:R4
check_eq "metadata is on the pods" true "$(pods web 'all(.metadata.annotations.note == "two" and .metadata.annotations.fresh == "x")')"
# covers: cloneset:Z7 inplace:S3
check_eq "metadata: no restart, the same pods" "5 $before" "$(restarts web) $(uids web)"

# --- rollback in the middle ---
patch web '{"spec":{"updateStrategy":{"partition":3}}}' >/dev/null
set_image web nginx:3 >/dev/null
# covers: cloneset:Z10
check "partition 3 of 5 updates two" becomes 60 "2 2" field web '.status.updatedReplicas} {.status.updatedReadyReplicas'
check_eq "partition: expectedUpdatedReplicas" 2 "$(field web .status.expectedUpdatedReplicas)"
revs=$(revisions web)
set_image web nginx:2 >/dev/null
check "a rollback under partition 3 keeps two at the other revision" becomes 60 "3 5" field web '.status.updatedReplicas} {.status.readyReplicas'
patch web '{"spec":{"updateStrategy":{"partition":0}}}' >/dev/null
check "rolled back" settle web
# covers: cloneset:Z11 revisions:S2
check_eq "a rollback makes no new revision" "$revs" "$(revisions web)"
check_eq "rolled back: the old image" "nginx:2 nginx:2 nginx:2 nginx:2 nginx:2" "$(images web)"
set_image web nginx:4 >/dev/null
# covers: cloneset:Z10
check "and on with partition 0" settle web
check_eq "still the same pods" "$before" "$(uids web)"

# --- scaling ---
kubectl scale clone web --replicas=8 >/dev/null
# covers: cloneset:Z2 cloneset:Z21 cloneset:E2
check "kubectl scale up" settle web
# covers: cloneset:Z22
check_eq "the scale sub-resource carries the selector" app=web "$(kubectl get --raw /apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets/web/scale | jq -r .status.selector)"
cheap=$(pods web '.[3].metadata.name')
kubectl annotate pod "$cheap" controller.kubernetes.io/pod-deletion-cost=-100 >/dev/null
kubectl scale clone web --replicas=7 >/dev/null
check "scale down by one" settle web
# covers: cloneset:Z3 revisions:P4
check_eq "the cheapest pod went" 0 "$(pods web "map(select(.metadata.name == \"$cheap\")) | length")"
named=$(pods web '.[2].metadata.name')
patch web "{\"spec\":{\"replicas\":6,\"scaleStrategy\":{\"podsToDelete\":[\"$named\"]}}}" >/dev/null
check "podsToDelete with fewer replicas" settle web
# covers: cloneset:Z4
check_eq "the named pod went, and no other came" "0 6" "$(pods web "map(select(.metadata.name == \"$named\")) | length") $(n_pods web)"
# covers: cloneset:C12
check "podsToDelete is trimmed" becomes 20 "" field web '.spec.scaleStrategy.podsToDelete[0]'
gone=$(pods web '.[0].metadata.name')
kubectl label pod "$gone" apps.kruise.io/specified-delete=true >/dev/null
replaced() { [ "$(pods web "map(select(.metadata.name == \"$gone\")) | length")" = 0 ] && settled web; }
# covers: cloneset:Z5
check "specified-delete alone replaces the pod" until_true 60 replaced

# --- what cannot go in place ---
before=$(uids web)
patch web '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:4","env":[{"name":"A","value":"b"}]}]}}}}' >/dev/null
check "an env change is recreated" settle web
after=$(uids web)
# covers: cloneset:Z8 cloneset:U9 inplace:S18
check_eq "recreated: no old pod is left" "" "$(comm -12 <(tr ' ' '\n' <<<"$before" | sort) <(tr ' ' '\n' <<<"$after" | sort))"
clone only 1 'type: InPlaceOnly' | kubectl apply -f - >/dev/null
check "InPlaceOnly runs" settle only
refused=$(patch only '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:1","env":[{"name":"A","value":"b"}]}]}}}}' 2>&1)
# covers: cloneset:Z9 cloneset:V16
check_eq "InPlaceOnly refuses an env change" 1 "$(grep -c Forbidden <<<"$refused")"

# --- surge ---
clone surge 4 'type: ReCreate, maxUnavailable: 0, maxSurge: 2' | kubectl apply -f - >/dev/null
check "surge: four pods" settle surge
record "$work/surge.watch" 4 pods -l app=surge
set_image surge nginx:2 >/dev/null
check "surge rolls" settle surge
kill $recorder
# replays the watch: the largest number of pods alive, and the smallest number ready, at any event
extremes=$(jq -sr 'reduce .[] as $e ({pods: {}, most: 0, least: 99};
	if $e.type == "DELETED" or $e.object.metadata.deletionTimestamp then .pods |= del(.[$e.object.metadata.name])
	else .pods[$e.object.metadata.name] = ([$e.object.status.conditions[]? | select(.type == "Ready" and .status == "True")] | length) end
	| .most = ([.most, (.pods | length)] | max)
	| if (.pods | length) >= 4 then .least = ([.least, ([.pods[]] | add)] | min) else . end) | "\(.most) \(.least)"' "$work/surge.watch")
# covers: cloneset:W22 cloneset:R8 cloneset:C10 cloneset:C11
check_eq "never above 6 pods, never below 4 ready" "6 4" "$extremes"

# --- paused ---
patch surge '{"spec":{"updateStrategy":{"paused":true}}}' >/dev/null
set_image surge nginx:3 >/dev/null
kubectl scale clone surge --replicas=5 >/dev/null
check "paused: scaling still works" becomes 60 5 field surge .status.readyReplicas
# covers: cloneset:Z12 cloneset:W25
check_eq "paused: no pod of the old revision was touched" "nginx:2 nginx:2 nginx:2 nginx:2" "$(pods surge 'map(.spec.containers[0].image) | map(select(. == "nginx:2")) | join(" ")')"
patch surge '{"spec":{"updateStrategy":{"paused":false}}}' >/dev/null
check "resumed" settle surge

# --- a pod that never becomes ready stops the roll-out ---
clone stuck 4 'type: InPlaceIfPossible, maxUnavailable: 1' | kubectl apply -f - >/dev/null
check "stuck: four pods" settle stuck
set_image stuck nginx:broken >/dev/null
check "stuck: exactly one pod is taken" becomes 60 "1 3" field stuck '.status.updatedReplicas} {.status.readyReplicas'
set_image stuck nginx:5 >/dev/null
# covers: inplace:S11 inplace:L3
check "stuck: a good image goes through" settle stuck

# --- names, neighbours, the end ---
long=$(printf 'n%.0s' $(seq 60))
clone "$long" 1 'type: ReCreate' | kubectl apply -f - >/dev/null
# covers: cloneset:Z25
check "a name of 60 characters" settle "$long"
clone one 2 'type: ReCreate' | sed 's/app: one/app: both/' | kubectl apply -f - >/dev/null
clone two 3 'type: ReCreate' | sed 's/app: two/app: both/' | kubectl apply -f - >/dev/null
# covers: cloneset:Z23
check "overlapping selectors: the first has its pods" becomes 60 "2 2" field one '.status.replicas} {.status.readyReplicas'
# covers: cloneset:Z23
check "overlapping selectors: the second has its pods" becomes 60 "3 3" field two '.status.replicas} {.status.readyReplicas'
kubectl delete clone web surge stuck only one two "$long" --wait=false >/dev/null
all_gone() { [ "$(kubectl get pods -o name | wc -l)" = 0 ] && [ "$(kubectl get controllerrevisions -o name | wc -l)" = 0 ]; }
# covers: cloneset:Z20 cloneset:C1 cloneset:C9
check "pods and revisions go with their owners" until_true 90 all_gone

# --- deletion that leaves the pods ---
clone left 2 'type: ReCreate' | kubectl apply -f - >/dev/null
check "left: two pods" settle left
check "a deletion that orphans ends" kubectl delete clone left --cascade=orphan --timeout=30s
orphans() { kubectl get pods,controllerrevisions -l app=left -o json | jq -c '[.items[] | .kind, (.metadata.ownerReferences // [] | length)]'; }
check "pods and revision stay, without an owner" becomes 20 '["Pod",0,"Pod",0,"ControllerRevision",0]' orphans
kubectl delete pods,controllerrevisions -l app=left --wait=false >/dev/null

# --- a big one ---
clone big 200 'type: InPlaceIfPossible, maxUnavailable: 50%' | kubectl apply -f - >/dev/null
check "200 replicas" settle big
before=$(uids big)
set_image big nginx:2 >/dev/null
check "200 replicas in place" settle big
check_eq "200 replicas: the same pods" "$before" "$(uids big)"
check_eq "200 replicas: one restart each" 200 "$(restarts big)"
finish
