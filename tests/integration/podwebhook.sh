#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The chain that changes pods at their creation, the webhook that leads to it, and container launch priority up to
# the completed annotation. The simulated kubelets hold a container until the ConfigMap key that its env names is there.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup podwebhook
start_nodesim --nodes 2 --start-delay 100ms --ready-delay 100ms --restart-delay 100ms --kill-delay 50ms
kubectl apply -f packaging/install/ >/dev/null 2>&1
# the arguments of an existing installation: those without meaning here are taken with a warning
start_kruised --v=5 --logtostderr=true --enable-pprof
check "flags of Go's runtime are taken, with a warning" grep -q 'enable-pprof has no effect' "$work/kruised.log"

mutating=mutatingwebhookconfiguration/kruise-mutating-webhook-configuration
anno=apps.kruise.io/container-launch-priority

# pod NAME ANNOTATIONS CONTAINER… : a manifest; a container is NAME, NAME=PRIORITY, or NAME@IMAGE
pod() {
	local name=$1 annotations=$2 c list=()
	shift 2
	for c in "$@"; do
		case $c in
		*=*) list+=("{name: ${c%%=*}, image: x, env: [{name: KRUISE_CONTAINER_PRIORITY, value: '${c#*=}'}]}") ;;
		*@*) list+=("{name: ${c%%@*}, image: '${c#*@}'}") ;;
		*) list+=("{name: $c, image: x}") ;;
		esac
	done
	local IFS=,
	cat <<END
apiVersion: v1
kind: Pod
metadata: {$name, annotations: {$annotations}}
spec: {terminationGracePeriodSeconds: 1, containers: [${list[*]}]}
END
}
ordered="$anno: Ordered"
# the barrier keys of a pod's containers
keys() { kubectl get pod "$1" -o json | jq -r '[.spec.containers[] | [.env[]? | select(.name == "KRUISE_CONTAINER_BARRIER")
	| "\(.valueFrom.configMapKeyRef.name)/\(.valueFrom.configMapKeyRef.key)"][0] // "-"] | join(" ")'; }
gates() { kubectl get pod "$1" "${@:2}" -o json | jq -r '[.spec.readinessGates[]?.conditionType] | join(" ")'; }
condition() { kubectl get pod "$1" -o jsonpath="{.status.conditions[?(@.type=='$2')].status}"; }
completed() { kubectl get pod "$1" -o json | jq -r --arg a "$anno-completed" '.metadata.annotations[$a] // ""'; }
barrier() { kubectl get configmap "$1-barrier" -o json | jq -r '.data | keys | join(" ")'; }
webhooks() { kubectl get $mutating -o jsonpath='{.webhooks[*].name}'; }

# ---- the webhook
check_eq "both mutating webhooks are in the configuration" "mcloneset.kb.io mpod.kb.io" "$(webhooks)"
check_eq "that of pods lets them pass when nobody answers" "Ignore CREATE pods" \
	"$(kubectl get $mutating -o json | jq -r '.webhooks[1] | "\(.failurePolicy) \(.rules[0].operations[0]) \(.rules[0].resources[0])"')"

# ---- KruisePodReady: pods of our workloads
# covers: inplace:K1
cat <<END | kubectl apply -f - >/dev/null
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  updateStrategy: {type: InPlaceIfPossible}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: "nginx:1"}]}
END
clone_ready() { kubectl get clone web -o json | jq -es '.[0] | .status.observedGeneration == .metadata.generation and .status.updatedReadyReplicas == 2'; }
check "a CloneSet's pods become ready" until_true 60 clone_ready
one=$(kubectl get pods -l app=web -o jsonpath='{.items[0].metadata.name}')
check_eq "they have both gates" "InPlaceUpdateReady KruisePodReady" "$(gates "$one" | tr ' ' '\n' | sort | paste -sd' ')"
check_eq "and the condition" True "$(condition "$one" KruisePodReady)"
kubectl patch clone web --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:2"}]' >/dev/null
check "they are updated" until_true 60 clone_ready
check_eq "in place, gates and all" "$one nginx:2" "$(kubectl get pod "$one" -o jsonpath='{.metadata.name} {.spec.containers[0].image}')"
pod 'name: plain' '' a b | kubectl create -f - >/dev/null
check_eq "other pods are left as they are" " - -" "$(gates plain) $(keys plain)"

# ---- who gets a barrier
# covers: inplace:P1 inplace:P2
check_eq "a dry-run shows it" p_-1 "$(pod 'name: dry' "$ordered" a b | kubectl create --dry-run=server -f - -o json |
	jq -r '.spec.containers[1].env[0].valueFrom.configMapKeyRef.key')"
pod 'name: equal' '' a=3 b=3 | kubectl create -f - >/dev/null
check_eq "equal priorities: nothing" "- -" "$(keys equal)"
cat <<END | kubectl create -f - >/dev/null
apiVersion: apps/v1
kind: Deployment
metadata: {name: deploy}
spec:
  selector: {matchLabels: {app: deploy}}
  template:
    metadata: {labels: {app: deploy}, annotations: {$ordered}}
    spec: {containers: [{name: a, image: x}, {name: b, image: x, env: [{name: MINE, value: v}]}]}
END
of_deploy() { kubectl get pods -l app=deploy -o json | jq -er '.items[0].metadata.name'; }
until_true 30 of_deploy
name=$(of_deploy)
check_eq "a pod with generateName is named by the webhook" "$name-barrier/p_0 $name-barrier/p_-1" "$(keys "$name")"
check "the name is as the API server would make it" grep -qE '^deploy-[a-z0-9]+-[bcdfghjklmnpqrstvwxz2456789]{5}$' <<<"$name"
check_eq "the variable comes behind those of the pod" "MINE KRUISE_CONTAINER_BARRIER" \
	"$(kubectl get pod "$name" -o jsonpath='{.spec.containers[1].env[*].name}')"
long=$(printf 'x%.0s' {1..70})
name=$(pod "generateName: $long-" "$ordered" a b | kubectl create -f - -o jsonpath='{.metadata.name}')
check_eq "a long generateName is cut to 58" "${long:0:58}" "${name%?????}"
# the API server shows causes as "field: message"
refused() { ! pod 'name: bad' "$1" "${@:2}" | kubectl create -f - 2>"$work/out" && grep -q 'spec.containers\[1\].env\[0\].value.*must be an integer' "$work/out"; }
check "a priority that is no integer is refused, with its field" refused '' a b=high
check_eq "and no such pod is there" "" "$(kubectl get pod bad -o name 2>/dev/null)"

# ---- the steps
# covers: inplace:P3
pod 'name: slow' "$ordered, sim.kruised.io/pull-error: slow" a b@slow:1 c | kubectl create -f - >/dev/null
check "first, second: the barrier has the keys of two" becomes 30 "p_-1 p_0" barrier slow
check_eq "it belongs to the pod" "Pod slow $(kubectl get pod slow -o jsonpath='{.metadata.uid}')" \
	"$(kubectl get configmap slow-barrier -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.ownerReferences[0].name} {.metadata.ownerReferences[0].uid}')"
waiting() { kubectl get pod slow -o json | jq -r '[.status.containerStatuses[] | .state.waiting.reason // "runs"] | join(" ")'; }
check "the second is at work, the third is held" becomes 20 "runs ErrImagePull CreateContainerConfigError" waiting
check_eq "it is not completed" "" "$(completed slow)"
# a successor knows nothing but what the API server has
pid=$(child_pid containerlaunchpriority)
ctl restart containerlaunchpriority >/dev/null
restarted() { [ "$(child_pid containerlaunchpriority)" != "$pid" ] && ctl status | grep -qE '^containerlaunchpriority .* yes '; }
check "the worker is restarted in the middle" until_true 20 restarted
kubectl annotate pod slow sim.kruised.io/pull-error- >/dev/null
check "it goes on to the last" becomes 30 "p_-1 p_-2 p_0" barrier slow
check "the pod is marked" becomes 20 true completed slow
check "all containers run" becomes 20 "runs runs runs" waiting
kubectl delete pod slow --wait=false >/dev/null
check "the barrier goes with its pod" until_true 60 eval '! kubectl get configmap slow-barrier'

# every version of the pods: a container that runs has seen those before it ready
record "$work/watch" 0 pods -l test=order
seen() { # NAME ORDER…
	jq -se --arg name "$1" --args '$ARGS.positional as $order | [.[] | .object | select(.metadata.name == $name)
		| (.status.containerStatuses // []) as $s | range(1; $order | length) as $i
		| ($s[] | select(.name == $order[$i]) | .state.running != null) as $runs
		| select($runs) | all($order[0:$i][]; . as $n | any($s[]; .name == $n and .ready))] | length > 0 and all' "${@:2}" <"$work/watch"
}
pod 'name: ordered, labels: {test: order}' "$ordered" a b c | kubectl create -f - >/dev/null
pod 'name: weighed, labels: {test: order}' '' a b=-5 c=10 | kubectl create -f - >/dev/null
check_eq "priorities of the env become keys" "weighed-barrier/p_0 weighed-barrier/p_-5 weighed-barrier/p_10" "$(keys weighed)"
# a stateful pod's predecessor has left its barrier, with all keys
jq -n '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "again-barrier", ownerReferences: [{apiVersion: "v1", kind: "Pod", name: "again", uid: "gone"}]},
	data: {"p_0": "true"}}' | kubectl create -f - >/dev/null
pod 'name: again' "$ordered" a b | kubectl create -f - >/dev/null
for name in ordered weighed again; do
	check "$name is completed" becomes 30 true completed $name
	check "$name is ready" becomes 20 True condition $name Ready
done
check_eq "the barrier is the new pod's" "$(kubectl get pod again -o jsonpath='{.metadata.uid}') p_-1 p_0" \
	"$(kubectl get configmap again-barrier -o jsonpath='{.metadata.ownerReferences[0].uid}') $(barrier again)"
sync_watch() { [ "$(jq -s '[.[].object | select(.status.conditions[]? | .type == "Ready" and .status == "True") | .metadata.name] | unique | length' "$work/watch")" = 2 ]; }
until_true 20 sync_watch
kill "$recorder"
check "containers started in spec order" seen ordered a b c
check "containers started by priority" seen weighed c a b

# ---- gates
# covers: inplace:P2
stop_kruised
pod 'name: alone' "$ordered" a b | kubectl create -f - >/dev/null
check_eq "with no webhookd at all, pods are created" "- -" "$(keys alone)"
start_kruised --feature-gates=PodWebhook=false,KruisePodReadinessGate=true
check "PodWebhook off: the webhook leaves the configuration" becomes 20 mcloneset.kb.io webhooks
check_eq "but stays in the template" "mcloneset.kb.io mpod.kb.io" \
	"$(kubectl get $mutating -o jsonpath='{.metadata.annotations.template}' | jq -r '[.[].name] | join(" ")')"
pod 'name: without' "$ordered" a b | kubectl create -f - >/dev/null
check_eq "and pods are left alone" " - -" "$(gates without) $(keys without)"
stop_kruised
start_kruised --feature-gates=KruisePodReadinessGate=true
check "on again: it is back" becomes 20 "mcloneset.kb.io mpod.kb.io" webhooks
pod 'name: every' '' a | kubectl create -f - >/dev/null
check_eq "KruisePodReadinessGate: every pod has the gate" KruisePodReady "$(gates every)"
check "and becomes ready" becomes 30 True condition every Ready
pod 'name: system' '' a | kubectl -n kube-system create -f - >/dev/null
check_eq "but those of kube-system" "" "$(gates system -n kube-system)"
stop_kruised
"$build/kruised" --runtime-dir "$work/none" --feature-gates=Nonsense=true >"$work/out" 2>&1
check_eq "an unknown gate is an error" 2 $?
check "which lists the known ones, to the last" grep -q 'PodWebhook=true.*DaemonSetPruneIneligibleNodes' "$work/out"

# ---- the rights of packaging/install
can() { kubectl auth can-i "$1" "$2" --as=system:serviceaccount:kruise-system:kruise-manager -n default >/dev/null; }
for verb in get create patch delete; do
	check "the service account may $verb barriers" can $verb configmaps
done
check "and watches none" eval '! can watch configmaps'
finish
