#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills and stops each child in turn while a CloneSet rolls and a client creates CloneSets and pods: the
# roll-out ends right, no request fails, no pod is too many, and a restarted worker lists nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
CRASHES=1 # a hung child gets SIGABRT
setup isolation
start_nodesim --nodes 4 --start-delay 100ms --restart-delay 200ms --kill-delay 50ms
start_kruised

cat >"$work/roll.yaml" <<EOF
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: roll}
spec:
  replicas: 20
  selector: {matchLabels: {app: roll}}
  updateStrategy: {type: InPlaceIfPossible, maxUnavailable: 2}
  template:
    metadata: {labels: {app: roll}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: "nginx:1"}]}
EOF
kubectl apply -f "$work/roll.yaml" >/dev/null
status() { kubectl get clone roll -o jsonpath="{.status.$1}"; }
settled() {
	kubectl get clone roll -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.updatedReadyReplicas == 20 and .status.replicas == 20 and .status.availableReplicas == 20'
}
check "twenty pods are ready" until_true 90 settled

# every event of the pods, for judging afterwards
record "$work/watch" 20 pods -l app=roll

# a steady client: CloneSets (through our admission) and pods; each answer within 10 s or it counts as failed
client() {
	local i=0 kind body url
	while [ ! -e "$work/stop-client" ]; do
		i=$((i + 1))
		for kind in clonesets pods; do
			if [ $kind = clonesets ]; then
				url=$APISERVER/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets
				body='{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","metadata":{"name":"c'$i'"},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"c"}},"template":{"metadata":{"labels":{"app":"c"}},"spec":{"containers":[{"name":"m","image":"x"}]}}}}'
			else
				url=$APISERVER/api/v1/namespaces/default/pods
				body='{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p'$i'"},"spec":{"nodeName":"nowhere","containers":[{"name":"m","image":"x"}]}}'
			fi
			curl -s -o /dev/null -w '%{http_code}\n' --max-time 10 --cacert "$CLUSTER_CA" -H "Authorization: Bearer $APISERVER_TOKEN" \
				-H 'Content-Type: application/json' -d "$body" "$url" >>"$work/answers"
		done
	done
}
client &
client_pid=$!

version=1
roll_on() {
	version=$((version + 1))
	kubectl patch clone roll --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:'$version'"}]' >/dev/null
}
# a new process, which says that it is ready
replaced() {
	local line
	line=$(ctl status | awk -v n="$1" '$1 == n')
	[ -n "$line" ] && [ "$(awk '{print $2}' <<<"$line")" != "$2" ] && grep -qE '^[^ ]+ +[0-9]+ .*(yes|ready)' <<<"$line"
}
# what the API server has been asked to list, by anybody
lists() {
	kubectl get --raw /metrics | awk '/^apiserver_request_total/ && /verb="LIST"/ && /resource="(pods|clonesets|controllerrevisions)"/ {n += $2} END {print n + 0}'
}

# Answers other than 201 so far. A request that is inside webhookd at the moment of its death dies with its TLS
# connection, and the API server does not repeat it: our client, one request at a time, may lose that one.
# Nothing else may fail.
bad_answers() { grep -vc '^201$' "$work/answers"; }
allowed=0

for child in cloneset podreadiness elector webhookconfig webhookd-0 webhookd-1 watcher; do
	case $child in webhookd-*) allowed=$((allowed + 2)) ;; esac
	roll_on
	pid=$(child_pid $child)
	listed=$(lists)
	kill -KILL "$pid"
	check "$child is replaced after SIGKILL" until_true 20 replaced $child "$pid"
	if [ $child = cloneset ] || [ $child = podreadiness ]; then
		check_eq "$child lists nothing after its restart" "$listed" "$(lists)"
	fi
	pid=$(child_pid $child)
	kill -STOP "$pid"
	check "$child is replaced when it hangs" until_true 40 replaced $child "$pid"
	case $child in
	webhookd-*) ;;
	*) check_eq "no request failed while $child was away" "${bad_before:-0}" "$(bad_answers)" ;;
	esac
	bad_before=$(bad_answers)
done
# covers: cloneset:B3 revisions:X3 inplace:R17
check "the roll-out ends" until_true 120 settled
touch "$work/stop-client"
wait $client_pid
kill $recorder
check "no request failed but, at most, the one inside a webhookd that died" test "$(bad_answers)" -le $allowed
echo "  # $(wc -l <"$work/answers") requests, $(bad_answers) failed"
check "the client was not idle" test "$(wc -l <"$work/answers")" -ge 50

judge='reduce .[] as $e ({pods: {}, most: 0, worst: 0, uids: {}};
	.uids[$e.object.metadata.uid] = 1
	| if $e.type == "DELETED" or $e.object.metadata.deletionTimestamp then .pods |= del(.[$e.object.metadata.name])
	  else .pods[$e.object.metadata.name] = ([$e.object.status.conditions[]? | select(.type == "Ready" and .status == "True")] | length) end
	| .most = ([.most, (.pods | length)] | max)
	| if (.pods | length) == 20 then .worst = ([.worst, 20 - ([.pods[]] | add)] | max) else . end)
	| "\(.most) \(.worst <= 2) \(.uids | length)"'
# covers: cloneset:B3 cloneset:C2 revisions:X1 revisions:X3
check_eq "never a pod too many, never more than 2 unavailable, never a pod recreated" "20 true 20" "$(jq -sr "$judge" "$work/watch")"
check_eq "all at the last image" "nginx:$version" "$(kubectl get pods -l app=roll -o json | jq -r '[.items[].spec.containers[0].image] | unique | join(" ")')"
finish
