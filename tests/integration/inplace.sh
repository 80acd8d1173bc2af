#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Updates in place, lifecycle hooks, pod readiness and their faults, against a real control plane with simulated
# nodes. The watch of all pods is kept from the start: most of what is checked is the order in which things happened.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup inplace
start_nodesim --nodes 4 --start-delay 100ms --restart-delay 100ms --kill-delay 50ms
start_kruised --feature-gates=InPlaceUpdateEnvFromMetadata=false

main='{name: main, image: "nginx:1"}' side='{name: side, image: "side:1"}'
# clone NAME [PART=TEXT…]: applies a set of one replica; parts: replicas, strategy, spec, labels, annotations, meta,
# containers
clone() {
	local name=$1 replicas=1 strategy='' spec='' labels='' annotations='' meta='' containers=$main part
	shift
	for part in "$@"; do local "$part"; done
	kubectl apply -f - >/dev/null <<YAML
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $name}
spec:
  replicas: $replicas
  selector: {matchLabels: {app: $name}}
  updateStrategy: {type: InPlaceIfPossible, maxUnavailable: 1${strategy:+, $strategy}}
  ${spec}
  template:
    metadata: {labels: {app: $name${labels:+, $labels}}, annotations: {$annotations}${meta:+, $meta}}
    spec: {terminationGracePeriodSeconds: 1, containers: [$containers]}
YAML
}
field() { kubectl get clone "$1" -o jsonpath="{$2}"; }
pods() { kubectl get pods -l "app=$1" -o json | jq -r ".items | map(select(.metadata.deletionTimestamp == null)) | sort_by(.metadata.name) | $2"; }
# the first pod of a set
pod() { pods "$1" ".[0] | $2"; }
name_of() { pod "$1" .metadata.name; }
patch() { kubectl patch clone "$1" --type merge -p "$2" >/dev/null; }
set_image() { kubectl patch clone "$1" --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/'"${3:-0}"'/image","value":"'"$2"'"}]' >/dev/null; }
settled() {
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.replicas == .spec.replicas and .status.updatedReadyReplicas == .spec.replicas
		and .status.updatedAvailableReplicas == .spec.replicas and .status.readyReplicas == .spec.replicas'
}
settle() { until_true 60 settled "$1" || { field "$1" .status && pods "$1" 'map([.metadata.name, .metadata.labels, .metadata.annotations, .status.conditions])' && return 1; }; }
patch_status() { # POD BODY
	curl -sf --max-time 20 --cacert "$CLUSTER_CA" -H "Authorization: Bearer $APISERVER_TOKEN" -X PATCH \
		-H 'Content-Type: application/strategic-merge-patch+json' -d "$2" "$APISERVER/api/v1/namespaces/default/pods/$1/status" >/dev/null
}
events() { kubectl get events -o json | jq -r "[.items[] | select(.involvedObject.name == \"$1\" and .reason == \"$2\")] | map(.count) | add // 0"; }

# What the tests look at in a pod.
lib='def cond($t): [.status.conditions[]? | select(.type == $t)][0];
	def ready: cond("InPlaceUpdateReady").status; def image: .spec.containers[0].image;
	def lifecycle: .metadata.labels["lifecycle.apps.kruise.io/state"];
	def json($k): .metadata.annotations[$k] // "null" | fromjson;
	def state: json("apps.kruise.io/inplace-update-state"); def grace: json("apps.kruise.io/inplace-update-grace");
	def calm: ready == "True" and cond("Ready").status == "True" and lifecycle == "Normal";
	def lab($k): .metadata.labels[$k]; def restarts: .status.containerStatuses | map(.restartCount);'
now() { pod "$1" "$lib $2"; }
watch=$work/watch
# versions APP JQ: an expression of the list of all versions of the set's pods, since the first was calm
versions() {
	jq -rs --arg app "$1" "$lib"' [.[].object | select(.metadata.labels.app == $app)] as $all
		| [$all[] | calm] | index(true) as $from | $all[$from:] | '"$2" "$watch"
}
# saw APP EXPECTED JQ: the values that the expression took, one after the other
saw() {
	local got deadline=$((SECONDS + 20))
	while :; do
		got=$(versions "$1" "map($3 | tostring) | reduce .[] as \$v ([]; if .[-1] == \$v then . else . + [\$v] end) | join(\", \")")
		[ "$got" != "$2" ] || return 0
		[ $SECONDS -lt $deadline ] || break
		sleep 0.1
	done
	printf 'expected %s\nsaw      %s\n' "$2" "$got"
	return 1
}
# always APP JQ: it holds for each version
always() { [ "$(versions "$1" "map($2) | all")" = true ] || { versions "$1" "map(select($2 | not))[0]" && return 1; }; }
record "$watch" 0 pods
trap 'kill $recorder 2>/dev/null; teardown' EXIT

both="$main, $side"
mark=', markPodNotReady: true'
hook='lifecycle: {inPlaceUpdate: {labelsHandler: {hold: "yes"}MARK}}'
env_of='env: [{name: CFG, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['"'cfg'"']"}}}]'
barrier() { echo "{name: $1, image: '$1:1', env: [{name: KRUISE_CONTAINER_PRIORITY, value: '$2'}]}"; }

clone basic "containers=$both"
clone meta 'labels=keep: a, change: a, gone: a'
clone env "containers={name: main, image: 'nginx:1', $env_of}, $side" 'annotations=cfg: one'
clone graced 'strategy=inPlaceUpdateStrategy: {gracePeriodSeconds: 4}' 'annotations=note: one'
clone back 'strategy=inPlaceUpdateStrategy: {gracePeriodSeconds: 3600}' 'annotations=note: one'
clone held "spec=${hook/MARK/}" 'labels=hold: "yes"'
clone marked "spec=${hook/MARK/$mark}" 'labels=hold: "yes"'
clone returned "spec=${hook/MARK/$mark}" 'labels=hold: "yes"'
clone doomed 'replicas=2' 'spec=lifecycle: {preDelete: {finalizersHandler: [test.kruised.io/hold]}}' 'meta=finalizers: [test.kruised.io/hold]'
clone spared 'replicas=2' 'spec=lifecycle: {preDelete: {labelsHandler: {hold: "yes"}}}' 'labels=hold: "yes"'
clone sized "containers={name: main, image: 'nginx:1', resources: {requests: {cpu: 1m}}}"
clone batches "containers=$(barrier main 0), $(barrier side 10)"
clone broken replicas=2
clone leaving
clone older "containers=$both"
clone between
for name in basic meta env graced back held marked returned doomed spared sized batches broken leaving older between; do
	check "$name is there" settle $name
done
calm() { [ "$(versions "$1" length)" -ge 1 ]; }
for name in basic meta env graced back held marked returned; do until_true 20 calm $name; done

# ---- what begins now and is looked at below
uid_of() { pod "$1" .metadata.uid; }
declare -A uid
for name in basic meta env graced back held marked returned sized batches leaving older between; do uid[$name]=$(uid_of $name); done
set_image graced nginx:2
patch back '{"spec":{"template":{"metadata":{"annotations":{"note":"two"}},"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}'
for name in held marked returned; do set_image $name nginx:2; done
kubectl label pod "$(name_of meta)" theirs=yes >/dev/null
patch meta '{"spec":{"template":{"metadata":{"labels":{"change":"b","gone":null,"fresh":"b"}}}}}'
patch env '{"spec":{"template":{"metadata":{"annotations":{"cfg":"two"}}}}}'
set_image basic side:2 1

# ---- one of two containers
check "basic: rolled" settle basic
# covers: inplace:S10 inplace:R6 inplace:R7 inplace:R17 inplace:L4
check "not ready, then one change, then ready" saw basic \
	'True side:1 Normal, False side:1 Normal, False side:2 Updating, True side:2 Updating, True side:2 Normal' '"\(ready) \(.spec.containers[1].image) \(lifecycle)"'
check "with the revision in the same write" saw basic 'side:1 old, side:2 new' \
	'"\(.spec.containers[1].image) \(if lab("controller-revision-hash") == "'"$(field basic .status.updateRevision)"'" then "new" else "old" end)"'
check "as long as it is not ready for the update, the pod is not Ready" always basic '(ready == "False") == (cond("InPlaceUpdateReady").reason == "StartInPlaceUpdate")
	and (ready == "True" or cond("Ready").status == "False")'
check_eq "only that container was restarted, in the same pod" "${uid[basic]} [0,1]" "$(now basic '"\(.metadata.uid) \(.status.containerStatuses | sort_by(.name) | map(.restartCount) | tojson)"')"
# covers: inplace:R8
check_eq "the state annotation" '["containerBatchesRecord","lastContainerStatuses","revision","updateTimestamp"] {"side":{"imageID":"sim://side:1"}} [["side"]]' \
	"$(now basic 'state | "\(keys | tojson) \(.lastContainerStatuses | tojson) \(.containerBatchesRecord | map(.containers) | tojson)"')"

# ---- metadata only
check "meta: rolled" settle meta
# covers: inplace:S3 inplace:R4 cloneset:B5 cloneset:Z7
check_eq "labels are changed, added and removed; what others added stays" "a b b null yes" \
	"$(now meta '[lab("keep"), lab("change"), lab("fresh"), lab("gone"), lab("theirs")] | map(tostring) | join(" ")')"
check "it was in service all the time" always meta 'ready == "True" and cond("Ready").status == "True"'
check_eq "no restart" "${uid[meta]} [0]" "$(now meta '"\(.metadata.uid) \(restarts | tojson)"')"

# ---- metadata that a container reads, the gate off
check "env: rolled" settle env
# covers: inplace:S5 inplace:R5
check_eq "patched like any other" "two null" "$(now env '"\(.metadata.annotations.cfg) \(state.updateEnvFromMetadata)"')"
check "in service all the time" always env 'ready == "True" and cond("Ready").status == "True"'
check_eq "nothing was restarted" "${uid[env]} [0,0]" "$(now env '"\(.metadata.uid) \(restarts | tojson)"')"

# ---- grace period, rolled back within it
in_grace() { [ "$(now "$1" 'grace.containerImages.main')" = nginx:2 ]; }
check "back: in its grace period" until_true 30 in_grace back
check_eq "not ready, at the new revision, the image and the annotations as before" "False true Updating nginx:1 one" \
	"$(now back '"\(ready) \(lab("controller-revision-hash") == "'"$(field back .status.updateRevision)"'") \(lifecycle) \(image) \(.metadata.annotations.note)"')"
patch back '{"spec":{"template":{"metadata":{"annotations":{"note":"one"}},"spec":{"containers":[{"name":"main","image":"nginx:1"}]}}}}'
check "back: rolled back" settle back
# covers: inplace:S9 inplace:R9
check_eq "no restart, no annotation left" "${uid[back]} [0] null one" "$(now back '"\(.metadata.uid) \(restarts | tojson) \(grace) \(.metadata.annotations.note)"')"
check "the image was never touched" always back 'image == "nginx:1"'

# ---- a hook holds
check "held: PreparingUpdate" becomes 30 PreparingUpdate now held lifecycle
check "marked: PreparingUpdate" becomes 30 PreparingUpdate now marked lifecycle
check "returned: PreparingUpdate" becomes 30 PreparingUpdate now returned lifecycle
# covers: inplace:S14 inplace:L7 inplace:K2
check "markPodNotReady takes the pod out of service" becomes 20 'False [{"userAgent":"Lifecycle","key":"preUpdateHook"}] False' \
	now marked '"\(cond("KruisePodReady") | "\(.status) \(.message)") \(cond("Ready").status)"'
check_eq "without it the pod serves on" "True True" "$(now held '"\(cond("KruisePodReady").status) \(cond("Ready").status)"')"

# a second user of KruisePodReady
patch_status "$(name_of marked)" '{"status":{"conditions":[{"type":"KruisePodReady","status":"False",
	"message":"[{\"userAgent\":\"Lifecycle\",\"key\":\"preUpdateHook\"},{\"userAgent\":\"Other\",\"key\":\"x\"}]"}]}}'
kubectl label pod "$(name_of marked)" "$(name_of held)" hold- >/dev/null
check "held: Updated, when the hook's label is gone" becomes 30 "Updated nginx:2" now held '"\(lifecycle) \(image)"'
check "marked: Updated" becomes 30 "Updated nginx:2" now marked '"\(lifecycle) \(image)"'
# covers: inplace:S24 inplace:K3
check_eq "one key is gone, the other one keeps the pod out of service" 'False [{"userAgent":"Other","key":"x"}]' \
	"$(now marked 'cond("KruisePodReady") | "\(.status) \(.message)"')"
check_eq "held is ready but not available in Updated" "1 0" "$(field held '.status.readyReplicas} {.status.availableReplicas')"
patch_status "$(name_of marked)" '{"status":{"conditions":[{"type":"KruisePodReady","status":"True","message":"[]"}]}}'
kubectl label pod "$(name_of marked)" "$(name_of held)" hold=yes >/dev/null
check "held: Normal, when it is there again" settle held
check "marked: Normal" settle marked
# covers: inplace:S13 inplace:L3 inplace:L4 cloneset:Z17
check "the hook's states, one after the other" saw held 'Normal, PreparingUpdate, Updating, Updated, Normal' lifecycle
check "nothing was changed while the hook's label was there" always held 'image == "nginx:1" or lab("hold") == null or lifecycle != "PreparingUpdate"'
check "in PreparingUpdate it ran the old image" always held 'lifecycle != "PreparingUpdate" or image == "nginx:1"'
check "marked: the same, out of service from PreparingUpdate on" saw marked 'Normal True, PreparingUpdate False, Updating False, Updated False, Normal True' \
	'select(lifecycle != "Normal" or cond("KruisePodReady").message != "[{\"userAgent\":\"Lifecycle\",\"key\":\"preUpdateHook\"}]") | select(lifecycle != "Updated" or cond("KruisePodReady").status == "False") | "\(lifecycle) \(cond("KruisePodReady").status)"'

# ---- rolled back in PreparingUpdate
set_image returned nginx:1
check "returned: rolled back" settle returned
# covers: inplace:S15 inplace:L5 inplace:L7 cloneset:F5
check_eq "no restart, in service again" "${uid[returned]} [0] nginx:1 True []" \
	"$(now returned '"\(.metadata.uid) \(restarts | tojson) \(image) \(cond("KruisePodReady") | "\(.status) \(.message)")"')"
check "the states of that" saw returned 'Normal, PreparingUpdate, Normal' lifecycle

# ---- grace period to its end
check "graced: rolled" settle graced
# covers: inplace:S8 inplace:R9 inplace:R13
check "not ready first, the image when the period is over" saw graced 'True nginx:1 0, False nginx:1 0, False nginx:1 4, False nginx:2 0, True nginx:2 0' \
	'"\(ready) \(image) \(grace.graceSeconds // 0)"'
check_eq "not before" true "$(now graced 'state | (.containerBatchesRecord[0].timestamp | fromdate) - (.updateTimestamp | fromdate) >= 4')"
check_eq "one restart" "${uid[graced]} [1]" "$(now graced '"\(.metadata.uid) \(restarts | tojson)"')"

# ---- deletion held by a hook
one=$(name_of doomed)
patch doomed '{"spec":{"replicas":0}}'
preparing() { [ "$(pods "$1" "$lib map(select(lifecycle == \"PreparingDelete\")) | length")" = "$2" ]; }
check "doomed: both wait in PreparingDelete" until_true 30 preparing doomed 2
kubectl patch pod "$one" --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]' >/dev/null
gone() { ! kubectl get pod "$1"; }
# covers: inplace:S16 inplace:L6 cloneset:Z16 cloneset:P4 cloneset:P7
check "the one whose finalizer was taken off goes" until_true 30 gone "$one"
check_eq "the other one stays" 1 "$(pods doomed length)"
kubectl patch pod "$(name_of doomed)" --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]' >/dev/null
check "until its turn comes" becomes 30 0 pods doomed length

both_uids=$(pods spared 'map(.metadata.uid) | join(" ")')
patch spared '{"spec":{"replicas":1}}'
check "spared: one waits in PreparingDelete" until_true 30 preparing spared 1
patch spared '{"spec":{"replicas":2}}'
check "spared: the scale-down is called off" settle spared
# covers: inplace:S17 cloneset:P1
check_eq "both are Normal, and the same as before" "$both_uids Normal Normal" "$(pods spared "$lib"' [map(.metadata.uid), map(lifecycle)] | add | join(" ")')"
patch spared '{"spec":{"lifecycle":{"preDelete":{"markPodNotReady":true}},"replicas":1}}'
check "spared: with markPodNotReady one waits again" until_true 30 preparing spared 1
leaver=$(pods spared "$lib map(select(lifecycle == \"PreparingDelete\"))[0].metadata.name")
# covers: inplace:L7
check "out of service" becomes 20 'False [{"userAgent":"Lifecycle","key":"preDeleteHook"}]' \
	kubectl get pod "$leaver" -o jsonpath='{.status.conditions[?(@.type=="KruisePodReady")].status} {.status.conditions[?(@.type=="KruisePodReady")].message}'
patch spared '{"spec":{"replicas":2}}'
kubectl label pod "$leaver" hold- >/dev/null
check "such a deletion is not called off" until_true 30 gone "$leaver"
check "it is replaced" settle spared

# ---- what cannot go in place
patch sized '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:1","resources":{"requests":{"cpu":"2m"}}}]}}}}'
check "sized: rolled" settle sized
# covers: inplace:S19 inplace:R1
check_eq "other resources: another pod" true "$([ "$(uid_of sized)" != "${uid[sized]}" ] && echo true)"
uid[sized]=$(uid_of sized)
patch sized '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:1","env":[{"name":"A","value":"b"}]}]}}}}'
check "sized: rolled again" settle sized
# covers: inplace:S18
check_eq "another variable: another pod" true "$([ "$(uid_of sized)" != "${uid[sized]}" ] && echo true)"

# ---- a pod without the readiness gate
clone bare 'spec=scaleStrategy: {maxUnavailable: 0}'
check "bare: it has its revision" until_true 30 bash -c '[ -n "$(kubectl get clone bare -o jsonpath={.status.updateRevision})" ]'
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: bare-own, labels: {app: bare, controller-revision-hash: $(field bare .status.updateRevision)}}
spec: {terminationGracePeriodSeconds: 1, containers: [$main]}
YAML
check "bare: a pod of that revision is adopted" settle bare
set_image bare nginx:2
check "bare: rolled" settle bare
# covers: inplace:S20
check_eq "updated in place without the gate, and without the condition" "bare-own nginx:2 [1] null null" \
	"$(now bare '"\(.metadata.name) \(image) \(restarts | tojson) \(.spec.readinessGates) \(ready)"')"

# ---- broken annotation
broken=$(name_of broken)
kubectl annotate pod "$broken" 'apps.kruise.io/inplace-update-state={' --overwrite >/dev/null
check "an event says so" until_true 30 bash -c "kubectl get events -o json | jq -e '[.items[] | select(.reason == \"InvalidInPlaceUpdateState\" and (.message | contains(\"$broken\")))] | length == 1'"
set_image broken nginx:2
check "the other pod is updated" becomes 60 "1 2" field broken '.status.updatedReadyReplicas} {.status.readyReplicas'
version=$(kubectl get pod "$broken" -o jsonpath='{.metadata.resourceVersion}')
# syncs come to an end: two looks in a row with the same number, while other sets were rolled in between
syncs() { curl -s "$METRICS/metrics" | awk '/^controller_runtime_reconcile_total.*"cloneset"/ {n += $2} END {print n}'; }
calm_syncs() {
	local before
	before=$(syncs) && sleep 1 && [ "$(syncs)" = "$before" ]
}
# covers: inplace:F5
check "no hot loop" until_true 30 calm_syncs
check_eq "the broken pod is left alone" "$version nginx:1" "$(kubectl get pod "$broken" -o jsonpath='{.metadata.resourceVersion} {.spec.containers[0].image}')"
check_eq "there was one event" 1 "$(events broken InvalidInPlaceUpdateState)"
kubectl annotate pod "$broken" apps.kruise.io/inplace-update-state- >/dev/null
check "without the annotation it goes on" settle broken

# ---- a pod on its way out
old=$(name_of leaving)
kubectl patch pod "$old" --type merge -p '{"metadata":{"finalizers":["test.kruised.io/hold"]}}' >/dev/null
kubectl delete pod "$old" --wait=false >/dev/null
replaced() { settled leaving && [ "$(pods leaving length)" = 1 ]; }
check "leaving: replaced" until_true 60 replaced
set_image leaving nginx:2
check "leaving: rolled" settle leaving
# covers: inplace:F7
check_eq "the terminating pod was left alone" nginx:1 "$(kubectl get pod "$old" -o jsonpath='{.spec.containers[0].image}')"
kubectl patch pod "$old" --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]' >/dev/null

# ---- the older key of the state annotation
kubectl annotate pod "$(name_of older)" 'inplace-update-state={"revision":"r","updateTimestamp":"2020-01-01T00:00:00Z","lastContainerStatuses":null,"nextContainerImages":{"side":"side:7"},"preCheckBeforeNext":{"containersRequiredReady":["main"]}}' >/dev/null
older() { now older '"\(.spec.containers[1].image) \(.metadata.annotations["inplace-update-state"]) \(state | "\(.revision) \(.nextContainerImages)")"'; }
# covers: inplace:R8 inplace:R12
check "it is read, and moves to the present key" becomes 30 "side:7 null r null" older
finish
