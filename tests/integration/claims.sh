#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# volumeClaimTemplates of a CloneSet: creation, naming, reuse, removal, failures. Pods are bound by the
# simulated nodes, since the scheduler would wait for volumes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup claims --no-scheduler
start_nodesim --nodes 4 --bind --start-delay 50ms --restart-delay 50ms --kill-delay 50ms
start_kruised

# clone NAME REPLICAS [SCALE STRATEGY]
clone() {
	cat <<MANIFEST
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  scaleStrategy: {${3:-}}
  updateStrategy: {maxUnavailable: 100%}
  template:
    metadata: {labels: {app: $1}}
    spec:
      terminationGracePeriodSeconds: 1
      volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}]
      containers: [{name: main, image: "nginx:1", volumeMounts: [{name: data, mountPath: /data}, {name: logs, mountPath: /logs}]}]
  volumeClaimTemplates:
  - metadata: {name: data, labels: {own: label}}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  - metadata: {name: logs}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
MANIFEST
}
settled() {
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation and .status.replicas == .spec.replicas
		and .status.updatedReadyReplicas == .spec.replicas'
}
settle() { until_true 60 settled "$1" || { kubectl get clone "$1" -o json | jq -c .status && return 1; }; }
live() { kubectl get "$1" -l "app=$2" -o json | jq -c "[.items[] | select(.metadata.deletionTimestamp == null)] | sort_by(.metadata.name) | $3"; }
ids_of() { live "$1" "$2" '[.[].metadata.labels["apps.kruise.io/cloneset-instance-id"]] | unique'; }
pod_of() { live pods "$1" '.[0].metadata.name' | tr -d '"'; }
event() { kubectl get events -o json | jq -e --arg r "$1" --arg m "$2" 'any(.items[]; .reason == $r and (.message | contains($m)))'; }
patch() { kubectl patch clone "$1" --type merge -p "$2" >/dev/null; }

# --- creation and naming
clone web 3 | kubectl apply -f - >/dev/null
# covers: cloneset:P9
check "pods with claims become ready" settle web
# covers: cloneset:P9
check_eq "two claims for each pod" 6 "$(live pvc web length)"
# covers: cloneset:P8
check_eq "under the pods' instance ids" "$(ids_of pods web)" "$(ids_of pvc web)"
# covers: cloneset:P8
check_eq "pods name their claims, which replace a volume of the template" true "$(live pods web 'all(.metadata.labels["apps.kruise.io/cloneset-instance-id"] as $id
	| [.spec.volumes[] | select(.name == "data" or .name == "logs" or .name == "tmp") | [.name, .persistentVolumeClaim.claimName]] | sort
	== [["data", "data-web-\($id)"], ["logs", "logs-web-\($id)"], ["tmp", null]])')"
# covers: cloneset:P9
check_eq "claims belong to the set and have the labels of template, selector and instance" true "$(live pvc web 'all(.metadata as $m
	| ($m.ownerReferences | length == 1 and .[0].kind == "CloneSet" and .[0].controller) and $m.labels.app == "web"
	and ($m.name | endswith("-web-" + $m.labels["apps.kruise.io/cloneset-instance-id"]))
	and ($m.labels.own == "label") == ($m.name | startswith("data-")))')"

# --- a pod that somebody deletes: its successor has its id and its claims
victim=$(pod_of web)
ids=$(ids_of pods web)
uids=$(live pvc web '[.[].metadata.uid]')
victim_uid=$(kubectl get pod "$victim" -o jsonpath='{.metadata.uid}')
kubectl delete pod "$victim" --wait=false >/dev/null
replaced() { kubectl get pod "$victim" -o jsonpath='{.metadata.uid}' >"$work/uid" && [ "$(cat "$work/uid")" != "$victim_uid" ]; }
# covers: cloneset:Z14
check "the deleted pod is replaced under the same name" until_true 60 replaced
check "and the set is whole again" settle web
check_eq "with the same ids" "$ids" "$(ids_of pods web)"
check_eq "and the same claims" "$uids" "$(live pvc web '[.[].metadata.uid]')"

# --- what the controller deletes takes its claims along
patch web '{"spec":{"replicas":2}}'
claims_are() { [ "$(live pvc "$1" length)" = "$2" ]; }
# covers: cloneset:Z15 cloneset:P7
check "scaling down removes the claims of the pod" until_true 60 claims_are web 4
check_eq "and no others" "$(ids_of pods web)" "$(ids_of pvc web)"
old=$(live pvc web '[.[].metadata.uid]')
kubectl patch clone web --type json -p '[{"op":"add","path":"/spec/template/spec/containers/0/env","value":[{"name":"A","value":"1"}]}]' >/dev/null
# covers: cloneset:U9
check "recreation for an update" settle web
new_claims() { claims_are web 4 && [ "$(live pvc web '[.[].metadata.uid]' | jq -c --argjson old "$old" 'map(select(. as $u | $old | index($u)))')" = '[]' ]; }
check "brings new claims" until_true 60 new_claims

# --- without reuse
patch web '{"spec":{"scaleStrategy":{"disablePVCReuse":true}}}'
victim=$(pod_of web)
old_ids=$(ids_of pods web)
kubectl delete pod "$victim" --wait=false >/dev/null
other_ids() { settled web && [ "$(ids_of pods web)" != "$old_ids" ] && claims_are web 4 && [ "$(ids_of pvc web)" = "$(ids_of pods web)" ]; }
# covers: cloneset:C4
check "without reuse the claims go with the pod, the next one has others" until_true 60 other_ids
kubectl create -f - >/dev/null <<MANIFEST
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-web-vvvvv
  labels: {app: web, apps.kruise.io/cloneset-instance-id: vvvvv}
  ownerReferences: [{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web, uid: "$(kubectl get clone web -o jsonpath='{.metadata.uid}')", controller: true, blockOwnerDeletion: true}]
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
MANIFEST
# covers: cloneset:C4 cloneset:E3
check "a claim without a pod is deleted" until_true 30 claims_are web 4

# --- a claim of somebody else under our name, offered by an id that is left over
patch web '{"spec":{"scaleStrategy":{"disablePVCReuse":false}}}'
uid=$(kubectl get clone web -o jsonpath='{.metadata.uid}')
kubectl create -f - >/dev/null <<MANIFEST
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: logs-web-wwwww}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-web-wwwww
  labels: {app: web, apps.kruise.io/cloneset-instance-id: wwwww}
  ownerReferences: [{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web, uid: "$uid", controller: true, blockOwnerDeletion: true}]
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
MANIFEST
patch web '{"spec":{"replicas":3}}'
# covers: cloneset:P9
check "somebody else's claim is not used" until_true 30 event FailedCreate "logs-web-wwwww: one that belongs to somebody else exists"
check_eq "no pod in its place" 2 "$(live pods web length)"
kubectl delete pvc logs-web-wwwww >/dev/null
check "it goes on when that is gone" settle web
check "under the id that was left" test "$(kubectl get pod web-wwwww -o jsonpath='{.metadata.name}')" = web-wwwww

# --- a quota that refuses claims
kubectl create quota claims --hard=persistentvolumeclaims="$(kubectl get pvc -o name | wc -l)" >/dev/null
quota_counts() { [ -n "$(kubectl get quota claims -o jsonpath='{.status.used.persistentvolumeclaims}')" ]; }
until_true 30 quota_counts
patch web '{"spec":{"replicas":4}}'
# covers: cloneset:P9 cloneset:C13
check "a refused claim is told with the API server's words" until_true 30 event FailedCreate "exceeded quota"
failed_scale() { kubectl get clone web -o json | jq -e '.status.conditions[]? | select(.type == "FailedScale" and (.message | contains("exceeded quota")))'; }
check "also in the condition" until_true 30 failed_scale
check_eq "no pod without its claims" 3 "$(live pods web length)"
kubectl delete quota claims >/dev/null
check "it goes on when there is room" settle web
check_eq "no claim is left over" "$(ids_of pods web)" "$(ids_of pvc web)"

# --- killed at any moment: in the end each pod has its claims and no claim is without a pod
for n in 12 3 10; do
	patch web '{"spec":{"replicas":'$n'}}'
	for _ in 1 2 3; do
		until_true 20 child_pid cloneset
		kill -KILL "$(child_pid cloneset)" 2>/dev/null
		pid_changed() { [ -n "$(child_pid cloneset)" ] && kill -0 "$(child_pid cloneset)"; }
		until_true 20 pid_changed
	done
	# covers: cloneset:F3
	check "$n replicas although the worker is killed again and again" settle web
	check "each pod has its claims" until_true 30 claims_are web $((2 * n))
	check_eq "under the same ids" "$(ids_of pods web)" "$(ids_of pvc web)"
done

# --- the end
kubectl delete clone web >/dev/null
nothing_left() { [ -z "$(kubectl get pods,pvc -l app=web -o name)" ]; }
# covers: cloneset:Z20
check "claims go with the set" until_true 60 nothing_left
finish
