#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An API server that misbehaves: a proxy between it and kruised delays, breaks off, answers 410, 429, 500, 503,
# garbage, half an event, an endless line, an expired certificate, or nothing; then the API server and etcd
# themselves are restarted. Admission goes on from the store all the time, the status says what is wrong, and
# kruised recovers by itself without a storm of lists.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup faults
start_nodesim --nodes 4 --start-delay 50ms --restart-delay 50ms --kill-delay 50ms

# ---- the proxy, and a kubeconfig that leads through it
pki=$CLUSTER_DIR/pki
openssl req -new -key "$pki/apiserver.key" -subj /CN=expired -out "$work/expired.csr" 2>/dev/null
openssl x509 -req -in "$work/expired.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -set_serial 99 -days -1 \
	-extfile <(echo 'subjectAltName=IP:127.0.0.1') -out "$work/expired.crt" 2>/dev/null
control=$work/fault requests=$work/requests
echo none >"$control" && : >"$requests"
proxy_port=$(free_port)
"$build/test-proxy" --listen "$proxy_port" --upstream "${APISERVER##*:}" --cert "$pki/apiserver.crt" --key "$pki/apiserver.key" \
	--expired-cert "$work/expired.crt" --control "$control" --log "$requests" >"$work/proxy.log" 2>&1 &
proxy=$!
trap 'kill $proxy 2>/dev/null; teardown' EXIT
sed "s#$APISERVER#https://127.0.0.1:$proxy_port#" "$KUBECONFIG.token" >"$work/kubeconfig"
direct=$KUBECONFIG
# a sanitizer keeps what was freed for a while, and cannot tell it from what is held
memory_limit=40960
if [[ $build == *asan* ]]; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=32:allocator_release_to_os_interval_ms=100"
	memory_limit=$((4 * memory_limit))
fi
start_kruised --kubeconfig "$work/kubeconfig"

kubectl apply -f - >/dev/null <<-'MANIFEST'
	apiVersion: apps.kruise.io/v1alpha1
	kind: CloneSet
	metadata: {name: web}
	spec:
	  replicas: 4
	  selector: {matchLabels: {app: web}}
	  updateStrategy: {type: InPlaceIfPossible, maxUnavailable: 100%}
	  template:
	    metadata: {labels: {app: web}}
	    spec: {containers: [{name: main, image: "nginx:1"}]}
MANIFEST
settled() { kubectl get clone web -o json | jq -e '.status.observedGeneration == .metadata.generation and .status.replicas == .spec.replicas
	and .status.updatedReadyReplicas == .spec.replicas'; }
check "through the proxy four pods become ready" until_true 60 settled

# ---- admission, all the time: defaulting of a CloneSet, sent to webhookd as the API server would
jq -n '{apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {uid: "u", operation: "CREATE", namespace: "default",
	resource: {group: "apps.kruise.io", version: "v1alpha1", resource: "clonesets"},
	object: {apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", metadata: {namespace: "default", name: "steady"},
	spec: {replicas: 1, selector: {matchLabels: {app: "x"}}, template: {metadata: {labels: {app: "x"}},
	spec: {containers: [{name: "main", image: "nginx:1.19"}]}}}}}}' >"$work/review.json"
touch "$work/load"
"$build/test-steady" "$WEBHOOK_PORT" /mutate-apps-kruise-io-v1alpha1-cloneset "$work/review.json" 20 "$work/load" \
	>"$work/load.out" 2>"$work/load.err" &
load=$!
answered() { tail -n 1 "$work/load.out" | cut -d ' ' -f 1; }
more_answers() { [ "$(answered)" -gt "$1" ]; }


lists() { grep -cE 'GET /[^ ]*[?&]limit=' "$requests"; }
pss() { # of all children, KiB
	local sum=0 pid
	for pid in $(ctl status | awk '/^NAME/ { t = 1; next } t && $2 != "-" { print $2 }'); do
		sum=$((sum + $(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null || echo 0)))
	done
	echo $sum
}
status_says() { ctl status | grep -qE "^elector .*($1)"; }
steady_pids() { ctl status | awk '$1 ~ /^(watcher|webhookd-.|webhookconfig|elector)$/ { print $1, $2 }'; }
replicas=4
scale() {
	replicas=$((9 - replicas))
	kubectl patch clone web --type merge -p "{\"spec\":{\"replicas\":$replicas}}" >/dev/null
}

# strikes NAME WORDS [MOST LISTS]: while the fault lasts admission goes on, the status has the words, and nothing
# is listed more often than that; afterwards the CloneSet is scaled
strikes() {
	local name=$1 words=$2 most=${3:-0} before lists_before memory
	memory=$(pss) lists_before=$(lists)
	scale
	echo "$name" >"$control"
	check "$name: the status says what is wrong" until_true 60 status_says "$words"
	before=$(answered)
	check "$name: admission goes on" until_true 30 more_answers $((before + 40))
	check "$name: no storm of lists" test $(($(lists) - lists_before)) -le "$most"
	check "$name: memory is bounded" test "$(pss)" -le $((memory + memory_limit))
	echo none >"$control"
	check "$name: when it is over, the CloneSet is scaled" until_true 90 settled
	check "$name: none of these processes has died" test "$(steady_pids)" = "$pids"
}
pids=$(steady_pids)
strikes "cut 100" 'lease.*'
strikes "status 429" 'lease: '
strikes "status 500" 'lease: '
strikes "status 503" 'lease: '
strikes "garbage" 'the API server.s answer cannot be read'
strikes "noise" 'the call to the API server .* failed'
strikes "half" 'the API server.s answer cannot be read'
strikes "long 100" 'the API server.s answer is larger than allowed'
strikes "silence" 'lease|not the leader|waiting'
strikes "refuse" 'cannot reach the API server'
strikes "expired" 'the certificate of the API server .* is not trusted'
# 410 says that the watch's past is forgotten: that takes a list of each resource, with ever longer pauses
strikes "status 410" 'lease: ' 200
echo "delay 400" >"$control"
scale
check "a slow API server: the CloneSet is scaled" until_true 90 settled
echo none >"$control"

# ---- the API server and etcd themselves: killed, and started again a while later
again=()
cut_off() { # NAME
	pid=$(pgrep -f "^([^ ]*/)?$1 .*($CLUSTER_DIR|${ETCD_URL##*:})" | head -n 1)
	mapfile -d '' -t argv <"/proc/$pid/cmdline"
	kill -KILL "$pid"
	until_true 10 not_running "$pid"
}
bring_back() { # NAME
	setsid "${argv[@]}" </dev/null >>"$work/$1.log" 2>&1 &
	again+=($!)
	check "$1 is back" until_true 90 kubectl get --raw /readyz
}
trap 'kill $proxy 2>/dev/null; kill -KILL "${again[@]}" 2>/dev/null; teardown' EXIT
for component in kube-apiserver etcd; do
	cut_off $component
	before=$(answered)
	check "without $component the status says so" until_true 60 status_says 'lease: |not the leader|cannot reach'
	check "without $component admission goes on" until_true 30 more_answers $((before + 40))
	bring_back $component
	scale
	check "afterwards the CloneSet is scaled" until_true 120 settled
	check "none of these processes has died" test "$(steady_pids)" = "$pids"
done

rm "$work/load"
wait $load
check "of all admissions none failed" grep -qE '^[0-9]{3,} answered, 0 failed$' <(tail -n 1 "$work/load.out")
stop_kruised
check_eq "kruised stops in order" 0 "$kruised_status"
finish
