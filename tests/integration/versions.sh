#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Both versions of a CloneSet: an old CRD that has v1alpha1 only, its upgrade under a running kruised, conversion
# through the API server and by hand, defaults and refusals of v1beta1, OnDelete.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup versions
start_nodesim --nodes 2 --start-delay 50ms --restart-delay 50ms --kill-delay 50ms

alpha=clonesets.v1alpha1.apps.kruise.io beta=clonesets.v1beta1.apps.kruise.io
crd=packaging/crds/apps.kruise.io_clonesets.yaml

clone() { # VERSION NAME REPLICAS IMAGE UPDATESTRATEGY
	jq -n --arg version "$1" --arg name "$2" --argjson replicas "$3" --arg image "$4" --argjson update "$5" '{
		apiVersion: ("apps.kruise.io/" + $version), kind: "CloneSet", metadata: {name: $name}, spec: {replicas: $replicas,
		selector: {matchLabels: {app: $name}}, updateStrategy: $update, template: {metadata: {labels: {app: $name}},
		spec: {terminationGracePeriodSeconds: 0, containers: [{name: "main", image: $image}]}}}}'
}
spec() { kubectl get "$1" "$2" -o json | jq -Sc ".spec.$3"; }
settled() { # RESOURCE NAME
	kubectl get "$1" "$2" -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.updatedReadyReplicas == .spec.replicas and .status.replicas == .spec.replicas'
}
pods() { kubectl get pods -l app="$1" -o json | jq -c '[.items[] | select(.metadata.deletionTimestamp == null)
	| {name: .metadata.name, uid: .metadata.uid, image: .spec.containers[0].image}] | sort_by(.name)'; }
uids() { pods "$1" | jq -c 'map(.uid)'; }
images() { pods "$1" | jq -r 'map(.image) | sort | join(" ")'; }
revisions() { kubectl get controllerrevisions -o json | jq -Sc --arg n "$1" '[.items[] | select(.metadata.ownerReferences[0].name == $n) | .metadata.name] | sort'; }
image_is() { printf '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"%s"}]' "$1"; }

# ---- an old CRD: v1alpha1 alone, no conversion
kubectl create namespace kruise-system >/dev/null
kubectl create --dry-run=client -f $crd -o json | jq 'del(.spec.conversion) | .spec.versions |= (map(select(.name == "v1alpha1")) | .[0].storage = true)' |
	kubectl create -f - >/dev/null
KEEP_CRD=1 start_kruised
clone v1alpha1 old 2 nginx:1 '{"type": "InPlaceIfPossible"}' | kubectl apply -f - >/dev/null
check "with a CRD that has v1alpha1 alone, a CloneSet gets its pods" until_true 60 settled $alpha old
before=$(uids old)
kubectl patch $alpha old --type json -p "$(image_is nginx:2)" >/dev/null
check "and is updated" until_true 60 settled $alpha old
check_eq "in place" "$before" "$(uids old)"
before=$(pods old) before_revisions=$(revisions old)

# ---- the CRD is upgraded under it; what is stored is v1alpha1
conversion() { kubectl get crd clonesets.apps.kruise.io -o jsonpath='{.spec.conversion.webhook.clientConfig}' | jq -r '"\(.url) \(.caBundle)"'; }
# covers: manager:W4
points_at_us() { [ "$(conversion)" = "https://127.0.0.1:$WEBHOOK_PORT/convert $(base64 -w0 <"$RUNDIR/webhook/ca-cert.pem")" ]; }
kubectl apply -f $crd >/dev/null 2>&1
check "the new CRD's conversion is pointed at kruised" until_true 30 points_at_us
read_beta() { spec $beta old updateStrategy.rollingUpdate.podUpdatePolicy | grep -q InPlaceIfPossible; }
check "what is stored as v1alpha1 is read as v1beta1" until_true 60 read_beta
ctl restart watcher >/dev/null
on_beta() { until_true 1 kruised_ready && kubectl patch $alpha old --type json -p "$(image_is nginx:3)" && until_true 20 settled $beta old; }
check "and goes on being updated" on_beta
check_eq "with the same pods" "$(jq -c 'map(.uid)' <<<"$before")" "$(uids old)"
check_eq "and one revision more" 3 "$(revisions old | jq length)"
stop_kruised
before=$(pods old) before_revisions=$(revisions old)

# ---- a start while the API server cannot convert: nobody is there yet who would, and stored is v1alpha1
kubectl patch crd clonesets.apps.kruise.io --type json -p '[{"op": "replace", "path": "/spec/conversion/webhook/clientConfig",
	"value": {"service": {"namespace": "kruise-system", "name": "kruise-webhook-service", "path": "/convert"}}}]' >/dev/null
start_kruised
check "kruised starts before anybody converts" kruised_ready
clone v1alpha1 later 1 x '{}' | kubectl apply -f - >/dev/null
check "a later CloneSet is complete" until_true 60 settled $beta later
check_eq "no pod was touched" "$before" "$(pods old)"
check_eq "no revision appeared" "$before_revisions" "$(revisions old)"
# covers: manager:S3 manager:W4
kubectl patch crd clonesets.apps.kruise.io --type json -p '[{"op":"replace","path":"/spec/conversion/webhook/clientConfig/caBundle","value":"Q0E="}]' >/dev/null
check "the CRD's caBundle edited by hand is put back" until_true 20 points_at_us
rv() { kubectl get crd clonesets.apps.kruise.io -o jsonpath='{.metadata.resourceVersion}'; }
before=$(rv)
ctl restart webhookconfig >/dev/null
child_ready() { ctl status | grep -qE '^webhookconfig .* (yes|ready) '; }
until_true 20 child_ready
check_eq "nothing is written when nothing differs" "$before" "$(rv)"

# ---- both versions of one object
clone v1beta1 web 3 nginx:1 '{"rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible", "maxUnavailable": "50%"}}' | kubectl create -f - >/dev/null
check_eq "v1beta1 gets its defaults" \
	'{"rollingUpdate":{"inPlaceUpdateStrategy":{},"maxSurge":0,"maxUnavailable":"50%","partition":0,"podUpdatePolicy":"InPlaceIfPossible"},"type":"RollingUpdate"}' \
	"$(spec $beta web updateStrategy)"
check_eq "claims are not used again, unless asked" '{"enablePVCReuse":false}' "$(spec $beta web scaleStrategy)"
check_eq "v1alpha1 shows the same" '{"inPlaceUpdateStrategy":{},"maxSurge":0,"maxUnavailable":"50%","partition":0,"type":"InPlaceIfPossible"}' \
	"$(spec $alpha web updateStrategy)"
check_eq "and says so of claims" '{"disablePVCReuse":true}' "$(spec $alpha web scaleStrategy)"
check "it gets its pods" until_true 60 settled $beta web
before=$(uids web)
kubectl patch $beta web --type merge -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}' >/dev/null
kubectl patch $beta web --type json -p "$(image_is nginx:2)" >/dev/null
check "partition in v1beta1" becomes 60 "nginx:1 nginx:1 nginx:2" images web
kubectl patch $alpha web --type merge -p '{"spec":{"updateStrategy":{"partition":0}}}' >/dev/null
check "and taken back in v1alpha1" until_true 60 settled $beta web
check_eq "in place" "$before" "$(uids web)"
check "kubectl scale" kubectl scale $beta web --replicas=1
check "scales" until_true 60 settled $alpha web

# what is refused, in the words of the version
# covers: cloneset:V8 cloneset:V9
refused() { # VERSION UPDATESTRATEGY WORDS
	local out
	out=$(clone "$1" refused 3 x "$2" | kubectl create --dry-run=server -f - 2>&1) && return 1
	grep -qF "$3" <<<"$out" || { echo "$out" && return 1; }
}
check "v1beta1 names its own fields" refused v1beta1 '{"rollingUpdate": {"partition": -1}}' 'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1'
check "v1alpha1 its own" refused v1alpha1 '{"partition": -1}' 'spec.updateStrategy.partition: Invalid value: -1'
check "no ReCreate as a type of v1beta1" refused v1beta1 '{"type": "ReCreate"}' 'spec.updateStrategy.type: Invalid value: "ReCreate": must be RollingUpdate or OnDelete'
check "no OnDelete in v1alpha1" refused v1alpha1 '{"type": "OnDelete"}' 'spec.updateStrategy.type: Invalid value: "OnDelete"'

# ---- OnDelete
# covers: cloneset:U2
clone v1beta1 keep 3 nginx:1 '{"type": "OnDelete", "rollingUpdate": {"podUpdatePolicy": "InPlaceOnly", "partition": 1}}' | kubectl create -f - >/dev/null
check "a CloneSet with OnDelete gets its pods" until_true 60 settled $beta keep
before=$(pods keep)
kubectl patch $beta keep --type json -p "$(image_is nginx:2)" >/dev/null
seen() { kubectl get $beta keep -o json | jq -e '.status.observedGeneration == .metadata.generation and .status.updatedReplicas == 0 and .status.updateRevision != .status.currentRevision'; }
check "a new template makes a new revision" until_true 30 seen
kubectl delete pod "$(jq -r '.[0].name' <<<"$before")" >/dev/null
check "only the pod that was deleted comes back with it" becomes 60 "nginx:1 nginx:1 nginx:2" images keep
kept() { [ "$(pods keep | jq -c --argjson old "$before" '[.[] | select(.uid as $u | $old | any(.uid == $u))] | length')" = 2 ]; }
check "the others stay" kept
# a client of v1alpha1 reads, changes and writes
kubectl get $alpha keep -o json | jq '.spec.replicas = 4' | kubectl replace -f - >/dev/null
check "v1alpha1 can write back what it has read" becomes 60 4 kubectl get $beta keep -o 'jsonpath={.status.replicas}'
check_eq "and loses nothing that it cannot say" '["OnDelete","InPlaceOnly",1]' \
	"$(kubectl get $beta keep -o json | jq -c '.spec.updateStrategy | [.type, .rollingUpdate.podUpdatePolicy, .rollingUpdate.partition]')"
check_eq "in no annotation either" null "$(kubectl get $beta keep -o json | jq '.metadata.annotations["apps.kruise.io/cloneset-conversion-data"]')"

# ---- /convert by hand
hook=https://127.0.0.1:$WEBHOOK_PORT/convert
review() { # REVIEWVERSION DESIRED OBJECTS
	jq -n --arg v "$1" --arg d "$2" --argjson o "$3" '{apiVersion: ("apiextensions.k8s.io/" + $v), kind: "ConversionReview",
		request: {uid: "u1", desiredAPIVersion: ("apps.kruise.io/" + $d), objects: $o}}'
}
convert() { curl -s --cacert "$RUNDIR/webhook/ca-cert.pem" -H 'Content-Type: application/json' --data-binary @- "$hook" "$@"; }
many=$(jq -nc --argjson o "$(clone v1alpha1 x 1 y '{"partition": 1}')" '[range(300) | $o * {metadata: {name: "c\(.)"}}]')
for v in v1 v1beta1; do
	check_eq "many objects at once, asked in $v" "[\"apiextensions.k8s.io/$v\",\"u1\",\"Success\",300,\"c299\",1]" \
		"$(review $v v1beta1 "$many" | convert | jq -c '[.apiVersion, .response.uid, .response.result.status, (.response.convertedObjects | length),
			.response.convertedObjects[299].metadata.name, .response.convertedObjects[299].spec.updateStrategy.rollingUpdate.partition]')"
done
bad=$(jq -c '.[7].spec.updateStrategy = "x" | .[7].metadata.namespace = "n"' <<<"$many")
check_eq "one that is wrong fails all, by object and field" '["Failure","CloneSet n/c7: spec.updateStrategy: must be an object",null]' \
	"$(review v1 v1beta1 "$bad" | convert | jq -c '[.response.result.status, .response.result.message, .response.convertedObjects]')"
check_eq "a kind that nobody converts" 'Failure Pod /p: this kind cannot be converted' \
	"$(review v1 v1beta1 '[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}]' | convert | jq -r '.response.result | "\(.status) \(.message)"')"
code() { convert -o /dev/null -w '%{http_code}' "$@"; }
check_eq "not JSON" 400 "$(echo x | code)"
check_eq "no review" 400 "$(echo '{"kind": "ConversionReview"}' | code)"
check_eq "wrong method" 405 "$(echo x | code -X PUT)"
check_eq "too long" 413 "$(head -c $((17 << 20)) /dev/zero | code)"
finish
