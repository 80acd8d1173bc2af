#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whose pods are whose: release, adoption, overlapping selectors, deletion with and without the pods.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup ownership
start_nodesim --nodes 4 --start-delay 50ms --restart-delay 50ms --kill-delay 50ms
start_kruised

# clone NAME REPLICAS APP [IMAGE]
clone() {
	cat <<MANIFEST
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $3}}
  updateStrategy: {type: InPlaceIfPossible, maxUnavailable: 100%}
  template:
    metadata: {labels: {app: $3}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: "${4:-nginx:1}"}]}
MANIFEST
}
settled() {
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation and .status.replicas == .spec.replicas
		and .status.readyReplicas == .spec.replicas'
}
settle() { until_true 60 settled "$1" || { kubectl get clone "$1" -o json | jq -c .status && return 1; }; }
# pods of a set by owner, not by label
owned() { kubectl get pods -o json | jq -c "[.items[] | select(.metadata.deletionTimestamp == null and .metadata.ownerReferences[0].name == \"$1\")] | sort_by(.metadata.name) | $2"; }
owner_of() { kubectl get pod "$1" -o json | jq -r '[.metadata.ownerReferences[]? | select(.controller) | .name] | join(",")'; }
bare() { # NAME APP
	kubectl create -f - >/dev/null <<MANIFEST
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: $2}}
spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: "nginx:1"}]}
MANIFEST
}

# --- release
clone web 3 web | kubectl apply -f - >/dev/null
check "three pods" settle web
pod=$(owned web '.[0].metadata.name' | tr -d '"')
uid=$(kubectl get pod "$pod" -o jsonpath='{.metadata.uid}')
kubectl label pod "$pod" app=debug --overwrite >/dev/null
# covers: cloneset:Z19 cloneset:C5 revisions:O1
check "a pod whose label changed is let go" becomes 30 "" owner_of "$pod"
check "and replaced" settle web
check_eq "it goes on living" "$uid" "$(kubectl get pod "$pod" -o jsonpath='{.metadata.uid}')"
check_eq "three others are owned" 3 "$(owned web length)"

# --- adoption
kubectl label pod "$pod" app=web --overwrite >/dev/null
# covers: cloneset:Z18 cloneset:E2 revisions:O1
check "taken back when it is selected again, at the expense of one" becomes 30 3 owned web length
check "the set settles" settle web
kubectl patch clone web --type merge -p '{"spec":{"replicas":5}}' >/dev/null
check "five pods" settle web
bare stray web
# covers: cloneset:Z18
adopted_or_gone() { ! kubectl get pod stray || [ "$(owner_of stray)" = web ]; }
check "a pod that was never ours is adopted" until_true 30 adopted_or_gone
check "the number stays" becomes 30 5 owned web length
check "and settles" settle web

# --- what somebody else owns is not touched
kubectl create configmap owner >/dev/null
kubectl create -f - >/dev/null <<MANIFEST
apiVersion: v1
kind: Pod
metadata:
  name: foreign
  labels: {app: web}
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: "$(kubectl get configmap owner -o jsonpath='{.metadata.uid}')", controller: true}]
spec: {containers: [{name: main, image: "nginx:1"}]}
MANIFEST
clone rival 2 web | kubectl apply -f - >/dev/null
# covers: cloneset:Z23
check "a second set with the same selector has its own pods" settle rival
web_uids=$(owned web '[.[].metadata.uid] | sort')
rival_uids=$(owned rival '[.[].metadata.uid] | sort')
kubectl patch clone rival --type merge -p '{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}' >/dev/null
check "and rolls" settle rival
check_eq "the first keeps its pods" "$web_uids" "$(owned web '[.[].metadata.uid] | sort')"
check_eq "so does the second" "$rival_uids" "$(owned rival '[.[].metadata.uid] | sort')"
check_eq "the pod of a third one is left alone" owner "$(owner_of foreign)"

# --- a set on its way out adopts nothing
kubectl delete clone rival >/dev/null
nothing_of_rival() { [ "$(owned rival length)" = 0 ]; }
check "deletion takes the pods along" until_true 60 nothing_of_rival
check_eq "and only those" "$web_uids" "$(owned web '[.[].metadata.uid] | sort')"

# --- deleted without its pods and made again: pods and history are taken over
kubectl patch clone web --type merge -p '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}' >/dev/null
at_2() { settled web && [ "$(owned web 'map(select(.status.containerStatuses[0].image == "nginx:2")) | length')" = 5 ]; }
check "an image change" until_true 60 at_2
revisions() { kubectl get controllerrevisions -o json | jq -c '[.items[] | select(.metadata.name | startswith("web-")) | .metadata.name] | sort'; }
names=$(revisions)
web_uids=$(owned web '[.[].metadata.uid] | sort')
kubectl delete clone web --cascade=orphan >/dev/null
orphaned() { ! kubectl get clone web && [ "$(owned web length)" = 0 ]; }
check "deleted without its pods" until_true 60 orphaned
clone web 5 web nginx:2 | kubectl apply -f - >/dev/null
# covers: revisions:R5 cloneset:Z18
check "made again it has all five at once" settle web
check_eq "the same pods" "$web_uids" "$(owned web '[.[].metadata.uid] | sort')"
check_eq "no revision was added" "$names" "$(revisions)"
owned_revisions() { kubectl get controllerrevisions -o json | jq -c '[.items[] | select(.metadata.ownerReferences[0].name == "web") | .metadata.name] | sort'; }
check "the revisions are its own again" becomes 30 "$names" owned_revisions
check_eq "no pod was restarted for it" 5 "$(owned web '[.[].status.containerStatuses[0].restartCount] | add')"
finish
