#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kruisectl explain, the matching event, and the conditions, for everything that can hold a CloneSet.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup explain
start_nodesim --nodes 4 --start-delay 100ms --restart-delay 100ms --kill-delay 50ms
# the API server is going to be killed, which must not cost the leadership at once
election="--leader-election-lease-duration=120s --leader-election-renew-deadline=90s"
# shellcheck disable=SC2086
start_kruised $election

# clone NAME REPLICAS 'UPDATE STRATEGY' ['SPEC EXTRA'] ['POD LABELS']: a manifest
clone() {
	cat <<YAML
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  updateStrategy: {$3}
${4:+  $4}
  template:
    metadata: {labels: {app: $1${5:+, $5}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "nginx:1", resources: {requests: {cpu: 1m}}}]
YAML
}
field() { kubectl get clone "$1" -o jsonpath="{$2}"; }
set_image() { kubectl patch clone "$1" --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"'"$2"'"}]'; }
patch() { kubectl patch clone "$1" --type merge -p "$2"; }
settled() {
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.updatedReadyReplicas == .spec.replicas and .status.replicas == .spec.replicas'
}
# says NAME TEXT…: explain's output has all the texts by now
says() {
	local name=$1 text out
	shift
	out=$(ctl explain clone "$name" --all) || return 1
	for text in "$@"; do grep -qF -- "$text" <<<"$out" || { echo "no '$text' in:" && echo "$out" && return 1; }; done
}
comes_to_say() {
	until_true 30 says "$@" || says "$@"
}
# how often a reason was said of a set: events, and the sum of their counts
events() { kubectl get events -o json | jq -r "[.items[] | select(.involvedObject.name == \"$1\" and .reason == \"$2\" and .source.component == \"cloneset-controller\")] | \"\(length) \(map(.count) | add // 0)\""; }
condition() { field "$1" ".status.conditions[?(@.type==\"$2\")].$3"; }

for name in stuck part paused gate hook quota webhook; do
	extra='' labels=''
	case $name in
	stuck) extra='progressDeadlineSeconds: 3' ;;
	hook) extra="lifecycle: {inPlaceUpdate: {labelsHandler: {hold: 'yes'}}}" labels="hold: 'yes'" ;;
	webhook) labels="refuse: 'yes'" ;;
	esac
	clone $name 3 'type: InPlaceIfPossible, maxUnavailable: 1' "$extra" "$labels" | kubectl apply -f - >/dev/null
done
for name in stuck part paused gate hook quota webhook; do check "$name: three pods" until_true 60 settled $name; done

# covers: cloneset:B2
check "a complete set" comes_to_say stuck "Complete: 3 pods are as they should be" "is as it should be (3 pods)"
# covers: cloneset:S2
check "Progressing: CloneSetAvailable" becomes 10 "True CloneSetAvailable" condition stuck Progressing 'status} {.status.conditions[?(@.type=="Progressing")].reason'

# --- an image that cannot be pulled, which uses maxUnavailable up ---
set_image stuck nginx:broken >/dev/null
stuck_since=$SECONDS
# covers: cloneset:B2
check "an image pull error, in kubelet's words" comes_to_say stuck \
	"RolloutWaiting: 2 pods wait to be updated: maxUnavailable lets 1 be unavailable, used up by stuck-" \
	"waits to be updated: maxUnavailable is used up (2 pods)" "is being updated in place (1 pod)" \
	"container main does not run image nginx:broken yet; not ready since 20" "container main: ErrImagePull: failed to pull and unpack image \"nginx:broken\""
# covers: cloneset:S2
check "Progressing: CloneSetUpdated, then ProgressDeadlineExceeded" becomes 20 "False ProgressDeadlineExceeded" condition stuck Progressing 'status} {.status.conditions[?(@.type=="Progressing")].reason'

# --- partition, pause ---
patch part '{"spec":{"updateStrategy":{"partition":2}}}' >/dev/null
set_image part nginx:2 >/dev/null
# covers: cloneset:B2
check "the partition is reached" comes_to_say part \
	"RolloutPartitionReached: 1 of 3 pods are updated and available, partition keeps 2 at part-" \
	"stays at its revision: the partition keeps it (2 pods)" "is as it should be (1 pod)"
patch paused '{"spec":{"updateStrategy":{"paused":true}}}' >/dev/null
set_image paused nginx:2 >/dev/null
# covers: cloneset:B2
check "paused" comes_to_say paused "RolloutPaused: 3 pods wait to be updated: the update is paused" \
	"waits to be updated: the update is paused (3 pods)"
check "and in an event" becomes 20 "1 1" events paused RolloutPaused
check "the partition too" becomes 20 "1 1" events part RolloutPartitionReached

# --- never ready ---
kubectl annotate pod -l app=gate sim.kruised.io/never-ready=true >/dev/null
set_image gate nginx:2 >/dev/null
# covers: cloneset:B2
check "a container that does not become ready" comes_to_say gate "RolloutWaiting: " "container main runs but is not ready"

# --- a hook ---
set_image hook nginx:2 >/dev/null
# covers: cloneset:B2
check "a hook's label" comes_to_say hook "RolloutHeldByHook: 1 pod waits to be updated: the hook inPlaceUpdate holds hook-" \
	"is to be updated, and waits for its inPlaceUpdate hook (1 pod)" "label hold=yes since 20"

# --- refused by the API server, for creation and for update ---
kubectl create quota few --hard=pods="$(kubectl get pods -o name | wc -l)" >/dev/null
until_true 20 bash -c 'kubectl get quota few -o json | jq -e ".status.used.pods"'
kubectl scale clone quota --replicas=5 >/dev/null
# covers: cloneset:B2 cloneset:C13
check "a quota, in the API server's words" comes_to_say quota "ScaleRefused: 2 pods cannot be created: " "exceeded quota: few"
check "FailedScale says it too" bash -c "kubectl get clone quota -o jsonpath='{.status.conditions[?(@.type==\"FailedScale\")].message}' | grep -qF 'exceeded quota: few'"
kubectl apply -f - >/dev/null <<YAML
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: refuse}
webhooks:
- name: refuse.example.com
  clientConfig: {url: "https://127.0.0.1:1/refuse"}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [UPDATE]}]
  objectSelector: {matchLabels: {refuse: 'yes'}}
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: Fail
YAML
refuses() { ! kubectl annotate pod -l app=webhook probe=1 --overwrite; }
until_true 20 refuses
set_image webhook nginx:2 >/dev/null
# covers: cloneset:B2 cloneset:C13
check "a webhook, in the API server's words" comes_to_say webhook "UpdateRefused: pods cannot be updated: " 'failed calling webhook "refuse.example.com"'
check "FailedUpdate says it too" becomes 10 True condition webhook FailedUpdate status
check "and an event" becomes 30 1 bash -c "kubectl get events -o json | jq '[.items[] | select(.involvedObject.name == \"webhook\" and .reason == \"UpdateRefused\")] | length'"

# --- names, forms ---
ctl_rc() { # STATUS arguments…: kruisectl's exit status
	local want=$1 rc
	shift
	ctl "$@" >"$work/ctl.out" 2>&1
	rc=$?
	[ $rc -eq "$want" ] || { echo "status $rc" && cat "$work/ctl.out" && return 1; }
}
check "a name that is not there: status 1" ctl_rc 1 explain clone nobody
check_eq "and says so" "kruisectl: there is no CloneSet nobody in namespace default" "$(cat "$work/ctl.out")"
check "with a namespace" ctl_rc 0 explain clone default/part
check "wrong usage: status 2" ctl_rc 2 explain deployment part
check "no name: status 2" ctl_rc 2 explain clone
check_eq "as JSON" "RolloutPaused paused,paused,paused" "$(ctl explain clone paused -o json | jq -r '"\(.verdict.reason) \([.pods[].step] | join(","))"')"
clone many 60 'type: ReCreate' | sed 's/image: "nginx:1"/image: "nginx:broken"/' | kubectl apply -f - >/dev/null
kubectl delete quota few >/dev/null
short() { [ "$(ctl explain clone many | wc -l)" -le 40 ] && ctl explain clone many | grep -q 'and 40 more; --all shows them'; }
check "sixty pods stay readable" until_true 30 short
all_pulling() { [ "$(ctl explain clone many --all | grep -c '^  many-.* container main: ErrImagePull: ')" = 60 ]; }
check "and --all shows all" until_true 30 all_pulling

# --- the quota is gone: what was refused goes on, and the condition goes ---
# covers: cloneset:C13
check "the quota is gone: five pods" until_true 60 settled quota
check "and no FailedScale" becomes 20 "" condition quota FailedScale status
# --- said once: not by a worker that was restarted either ---
# covers: cloneset:B2
check "what lasts is in an event" becomes $((60 - SECONDS + stuck_since)) "1 1" events stuck RolloutWaiting
restarted() { [ "$(child_pid cloneset)" != "$1" ] && kruised_ready; }
pid=$(child_pid cloneset)
kill -KILL "$pid"
until_true 20 restarted "$pid"
kubectl annotate clone paused stuck part touch=1 >/dev/null
clone later 1 'type: ReCreate' | kubectl apply -f - >/dev/null
check "a later set is made" until_true 30 settled later
# covers: cloneset:B2
check_eq "no event twice, after a restart of the worker" "1 1, 1 1, 1 1" "$(events paused RolloutPaused), $(events part RolloutPartitionReached), $(events stuck RolloutWaiting)"
# what has gone smoothly was not commented on
check_eq "nothing is said of an ordinary creation" "SuccessfulCreate" "$(kubectl get events -o json | jq -r '[.items[] | select(.involvedObject.name == "later" and .source.component == "cloneset-controller") | .reason] | unique | join(" ")')"

# --- the metrics that users know ---
has_metrics() {
	local name
	curl -s "$METRICS/metrics" >"$work/metrics"
	for name in 'controller_runtime_reconcile_total{controller="cloneset",result="success"}' 'controller_runtime_reconcile_errors_total{controller="cloneset"}' \
		'controller_runtime_reconcile_time_seconds_bucket{controller="cloneset",' 'controller_runtime_active_workers{controller="cloneset"}' \
		'workqueue_depth{name="cloneset"}' 'workqueue_adds_total{name="cloneset"}' 'workqueue_queue_duration_seconds_bucket{name="cloneset",' \
		'workqueue_retries_total{name="cloneset"}' "rest_client_requests_total{code=\"201\",host=\"${APISERVER#https://}\",method=\"POST\"}" \
		'kruise_manager_is_leader' \
		'controller_runtime_webhook_requests_total{' 'controller_runtime_webhook_latency_seconds_bucket{'; do
		grep -qF "$name" "$work/metrics" || { echo "no $name" && return 1; }
	done
}
check_metrics() { until_true 15 has_metrics || has_metrics; }
# covers: manager:E2
check "the metrics of controllers have their names" check_metrics

# --- a replica that does not lead ---
leader=$RUNDIR
RUNDIR=$(mktemp -d /dev/shm/kruised-run.XXXXXX)
# shellcheck disable=SC2086
WEBHOOK_HOST=127.0.0.1 WEBHOOK_PORT=$(free_port) WEBHOOK_CERT_DIR=$leader/certs "$build/kruised" --runtime-dir "$RUNDIR" \
	--metrics-addr 127.0.0.1:0 --health-probe-addr 127.0.0.1:0 $election </dev/null >>"$work/kruised.log" 2>&1 &
second=$!
# covers: cloneset:B2
check "not the leader" comes_to_say paused "NotLeader: this replica does not lead and changes nothing (standby; leader: " "RolloutPaused: "
kill $second
wait $second 2>/dev/null
rm -rf "$RUNDIR"
RUNDIR=$leader

# --- a store that is behind ---
# (nothing is asked of the API server from here on)
read -r apiserver_pid _ <"$CLUSTER_DIR/run/kube-apiserver.pid"
kill -KILL "$apiserver_pid"
# covers: cloneset:B2
check "a stale store" comes_to_say paused "StoreStale: the store has had no sign of life from the API server for " "RolloutPaused: "
finish
