#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate PreDownloadImageForInPlaceUpdate: jobs that fetch the images of a roll-out, on a real API server which
# checks them by OpenKruise's schema. There is no controller of ImagePullJobs yet: nothing carries them out.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup predownload
start_nodesim --nodes 4 --start-delay 50ms --restart-delay 50ms --kill-delay 50ms
start_kruised --feature-gates PreDownloadImageForInPlaceUpdate=true

# clone NAME REPLICAS [STRATEGY] [ANNOTATIONS]
clone() {
	cat <<MANIFEST
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1, annotations: {${4:-}}}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  updateStrategy: {type: InPlaceIfPossible, partition: 1${3:-}}
  template:
    metadata: {labels: {app: $1}, annotations: {note: here}}
    spec:
      imagePullSecrets: [{name: secret}]
      containers: [{name: main, image: "main:1"}, {name: side, image: "side:1"}]
MANIFEST
}
settled() { kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation and .status.updatedReadyReplicas >= .status.expectedUpdatedReplicas
	and .status.readyReplicas == .spec.replicas'; }
jobs() { kubectl get imagepulljobs -o json | jq -c "[.items[] | select(.metadata.ownerReferences[0].name == \"$1\")] | sort_by(.metadata.name)"; }
job_names() { jobs "$1" | jq -c '[.[].metadata.name]'; }
patch() { kubectl patch clone "$1" --type merge -p "$2" >/dev/null; }
image() { patch "$1" "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"main:$2\"},{\"name\":\"side\",\"image\":\"side:${3:-1}\"}]}}}}"; }
revision() { kubectl get clone "$1" -o jsonpath='{.status.updateRevision}'; }
revision_is_labelled() { [ "$(kubectl get controllerrevision "$(revision "$1")" -o json | jq -r --arg l "apps.kruise.io/$2" '.metadata.labels[$l]')" = true ]; }
events() { kubectl get events -o json | jq "[.items[] | select(.involvedObject.name == \"$1\" and .reason == \"$2\")] | length"; }

# ---- without the kind, the roll-out goes on
clone early 4 | kubectl apply -f - >/dev/null
check "a set" until_true 60 settled early
image early 2
check "no job can be made: the roll-out goes on" until_true 60 settled early
check "an event says it" becomes 20 1 events early FailedCreateImagePullJob

# covers: cloneset:C8
kubectl apply -f tests/data/crds/imagepulljobs.json >/dev/null
check "the kind is served" until_true 30 kubectl get imagepulljobs
clone web 5 | kubectl apply -f - >/dev/null
check "five pods" until_true 60 settled web
check_eq "creation fetches nothing" '[]' "$(job_names web)"
kubectl patch clone web --type merge -p '{"spec":{"updateStrategy":{"partition":4}}}' >/dev/null
image web 2 2
check "a roll-out" until_true 60 settled web
rev=$(revision web)
check "a job for each image" becomes 20 "[\"$rev-main\",\"$rev-side\"]" job_names web
check "its owner, labels and selector" jq -e --arg r "$rev" '.[0]
	| .metadata.ownerReferences[0].controller and .metadata.labels.app == "web" and .metadata.labels["controller.kubernetes.io/hash"] == ($r | sub(".*-"; ""))
	and .spec.podSelector.matchLabels == {app: "web"}
	and .spec.podSelector.matchExpressions == [{key: "controller-revision-hash", operator: "NotIn", values: [$r, ($r | sub(".*-"; ""))]}]' <<<"$(jobs web)"
check "what it does" jq -e '.[0].spec | .image == "main:2" and .parallelism == 1 and .pullPolicy == {backoffLimit: 1, timeoutSeconds: 300}
	and .completionPolicy == {type: "Always", ttlSecondsAfterFinished: 600} and .pullSecrets == ["secret"]
	and .sandboxConfig.annotations == {note: "here"}' <<<"$(jobs web)"
check "the revision is labelled" until_true 20 revision_is_labelled web pre-predownload-created
patch web '{"spec":{"updateStrategy":{"partition":0}}}'
check "when all pods are updated the jobs go" becomes 60 '[]' job_names web

# ---- settings
clone set 5 "" 'apps.kruise.io/image-predownload-parallelism: "2", apps.kruise.io/image-predownload-timeout-seconds: "60", apps.kruise.io/image-predownload-min-updated-ready-pods: "1"' |
	kubectl apply -f - >/dev/null
check "a set with settings" until_true 60 settled set
patch set '{"spec":{"updateStrategy":{"partition":5}}}'
image set 2
rolling() { [ "$(kubectl get clone set -o json | jq -r .status.updateRevision)" != "$(kubectl get clone set -o json | jq -r .status.currentRevision)" ]; }
check "no pod is updated yet" until_true 30 rolling
check_eq "so no job is made" '[]' "$(job_names set)"
patch set '{"spec":{"updateStrategy":{"partition":4}}}'
one_job() { [ "$(jobs set | jq length)" = 1 ]; }
check "one is: now it is" until_true 60 one_job
check "parallelism and time-out" jq -e '.[0].spec | .parallelism == 2 and .pullPolicy.timeoutSeconds == 60' <<<"$(jobs set)"

# ---- where it gains nothing
clone few 3 | kubectl apply -f - >/dev/null
clone recreate 5 | sed 's/InPlaceIfPossible/ReCreate/' | kubectl apply -f - >/dev/null
clone once 5 ", maxUnavailable: 100%" | sed 's/partition: 1/partition: 0/' | kubectl apply -f - >/dev/null
for s in few recreate once; do
	check "$s: pods" until_true 60 settled $s
	image $s 2
	check "$s: the revision says that there is nothing to fetch" until_true 60 revision_is_labelled $s image-predownload-ignored
	check_eq "$s: no job" '[]' "$(job_names $s)"
done
stop_kruised
check_eq "kruised stops in order" 0 "$kruised_status"
finish
