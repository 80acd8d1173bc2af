#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A cluster that OpenKruise 1.5 managed is taken over in the middle of a roll-out: no pod is touched, no revision
# appears, the status stays; then the roll-out goes on with the revision that OpenKruise had made.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup handover --restore tests/data/handover/openkruise-1.5-cloneset.etcd.snap.xz --node-monitor-grace-period 10m

pods() { kubectl get pods -o json | jq -Sc '[.items[] | {name: .metadata.name, uid: .metadata.uid, rv: .metadata.resourceVersion,
	labels: .metadata.labels, images: [.spec.containers[].image], restarts: [.status.containerStatuses[]?.restartCount]}] | sort_by(.name)'; }
revisions() { kubectl get controllerrevisions -o json | jq -Sc '[.items[].metadata | {name, rv: .resourceVersion}] | sort_by(.name)'; }
status() { kubectl get clone shop -o json | jq -Sc '.status | {updatedReplicas, readyReplicas, currentRevision, updateRevision}'; }

before_pods=$(pods) before_revisions=$(revisions) before_status=$(status)
check_eq "the snapshot is as expected" '6 2 3' "$(jq length <<<"$before_pods") $(jq length <<<"$before_revisions") $(jq .updatedReplicas <<<"$before_status")"
start_kruised
check "the CloneSet was synced" until_true 30 bash -c "curl -s $METRICS/metrics | grep -qE '^controller_runtime_reconcile_total.*cloneset.* [1-9]'"
# whatever it would do wrongly, it would have begun by the time that a later CloneSet is complete
kubectl apply -f - >/dev/null <<EOF
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: later}
spec:
  replicas: 1
  selector: {matchLabels: {app: later}}
  template: {metadata: {labels: {app: later}}, spec: {containers: [{name: m, image: x}]}}
EOF
check "a new CloneSet is admitted and gets its pod" becomes 30 1 kubectl get clone later -o jsonpath='{.status.replicas}'
kubectl delete clone later --wait=true >/dev/null
gone() { ! kubectl get pods -o name | grep -q later; }
kubectl delete pods -l app=later --grace-period=0 --force >/dev/null 2>&1
until_true 30 gone
# covers: revisions:S4
check_eq "no pod was touched" "$before_pods" "$(pods)"
# covers: revisions:S4 revisions:R4
check_eq "no revision appeared or changed" "$before_revisions" "$(kubectl get controllerrevisions -l 'app!=later' -o json | jq -Sc '[.items[].metadata | {name, rv: .resourceVersion}] | sort_by(.name)')"
check_eq "the status says the same" "$before_status" "$(status)"
for kind in mutating validating; do
	check "the $kind webhook configuration points at kruised only" becomes 20 "https://127.0.0.1:$WEBHOOK_PORT" bash -c \
		"kubectl get ${kind}webhookconfiguration kruise-$kind-webhook-configuration -o json | jq -r '[.webhooks[].clientConfig.url | split(\"/\")[:3] | join(\"/\")] | unique | join(\" \")'"
done

# the simulator takes over the nodes that the snapshot has
start_nodesim --nodes 10 --prefix sim- --start-delay 100ms --restart-delay 100ms
record "$work/watch" 6 pods
kubectl patch clone shop --type merge -p '{"spec":{"updateStrategy":{"partition":0}}}' >/dev/null
done_rolling() { [ "$(kubectl get clone shop -o json | jq -c '.status | [.updatedReplicas, .updatedReadyReplicas, .readyReplicas]')" = '[6,6,6]' ]; }
check "partition 0 rolls on" until_true 90 done_rolling
kill $recorder
ids() { jq -c 'map([.name, .uid])'; }
# covers: inplace:S2 inplace:R7
check_eq "in place: the same pods" "$(ids <<<"$before_pods")" "$(pods | ids)"
check_eq "with the revision that was there" "$(jq -c 'map(.name)' <<<"$before_revisions")" "$(revisions | jq -c 'map(.name)')"
check_eq "the changed container was restarted once in all, the other never" '[[1,0],[1,0],[1,0],[1,0],[1,0],[1,0]]' "$(pods | jq -c 'map(.restarts)')"
# at any event, how many of the six were not Ready
worst=$(jq -sr 'reduce .[] as $e ({p: {}, worst: 0}; .p[$e.object.metadata.name] = ([$e.object.status.conditions[]? | select(.type == "Ready" and .status == "True")] | length)
	| if (.p | length) == 6 then .worst = ([.worst, 6 - ([.p[]] | add)] | max) else . end) | .worst' "$work/watch")
# covers: inplace:S10
check_eq "one at a time" 1 "$worst"
finish
