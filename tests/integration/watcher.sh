#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# kruise-watcher against a real API server: the store must equal what kubectl says, whatever happens to the
# watcher meanwhile. Without KUBECONFIG it starts a control plane of its own, and stops it.
#
#   tests/integration/watcher.sh        WATCHER, STOREDUMP: programs to use instead of the build's
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
WATCHER=${WATCHER:-$B/kruise-watcher}
passed=0 failed=0
dir=$(mktemp -d /tmp/watcher-test.XXXXXX)
run=$dir/run
mkdir -m 700 "$run"
cluster= watcher_pid= follower_pid=

cleanup() {
	for pid in $watcher_pid $follower_pid; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
	[ -z "$cluster" ] || tests/cluster/down --name "$cluster" >/dev/null
	[ $failed -gt 0 ] || rm -rf "$dir"
}
trap cleanup EXIT

if [ -z "${KUBECONFIG:-}" ]; then
	cluster=watcher-$$
	tests/cluster/up --name $cluster --no-controller-manager --no-scheduler >/dev/null || exit 1
	. "$(tests/cluster/env --name $cluster)"
fi
if [ -z "${STOREDUMP:-}" ]; then
	STOREDUMP=$dir/storedump
	# shellcheck disable=SC2046
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. $([ "$B" = build-asan ] && echo -fsanitize=address,undefined) \
		-o "$STOREDUMP" tests/integration/storedump.c \
		-Wl,--start-group "$B/libkube.a" "$B/libipc.a" "$B/libbase.a" -Wl,--end-group \
		$(pkg-config --cflags --libs msgpack libzmq lmdb libsystemd libcurl yaml-0.1) -lm -lpthread || exit 1
fi

ok() { passed=$((passed + 1)) && echo "ok - $1"; }
not_ok() { failed=$((failed + 1)) && echo "not ok - $1"; }
check() { # WHAT COMMAND…
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what"; fi
}
# until SECONDS COMMAND…
until_true() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.05
	done
}

ns=w$$
export POD_NAMESPACE=kruise-system
start_watcher() {
	"$WATCHER" --runtime-dir="$run" "$@" 2>>"$dir/log" &
	watcher_pid=$!
}
stop_watcher() { # SIGNAL
	kill "-$1" "$watcher_pid"
	wait "$watcher_pid" 2>/dev/null
	watcher_pid=
}

# An object as both sides should have it. Lists of typed objects come without kind, watches with it.
normal='map(del(.metadata.managedFields,.kind,.apiVersion)) | sort_by(.metadata.namespace, .metadata.name)'
same() { # RESOURCE-KEY KUBECTL-ARGS…: the store equals the API server
	local key=$1
	shift
	kubectl get "$@" -o json | jq -S ".items | $normal" >"$dir/want" &&
		"$STOREDUMP" "$run" "$key" | jq -S "$normal" >"$dir/have" && cmp -s "$dir/want" "$dir/have"
}
synced() { [ "$("$STOREDUMP" --sync "$run" "$1" | jq .synced)" = true ]; }
metric() { awk -v name="$1" '$1 == name { print $2 }' "$run/metrics/watcher.prom"; }
metric_is() { [ "$(metric "$1")" = "$2" ]; }
pods=kruised_watcher

pod() { # NAME…
	for name; do
		cat <<-POD
			{"apiVersion":"v1","kind":"Pod","metadata":{"name":"$name","namespace":"$ns","labels":{"app":"t"}},
			 "spec":{"automountServiceAccountToken":false,"containers":[{"name":"c","image":"i:1"}]}}
		POD
	done | kubectl create -f - >/dev/null
}
delta() { grep -q "^$1" "$dir/deltas"; }

kubectl create namespace "$ns" >/dev/null
kubectl get namespace kruise-system >/dev/null 2>&1 || kubectl create namespace kruise-system >/dev/null
for n in default "$ns"; do
	kubectl -n "$n" get serviceaccount default >/dev/null 2>&1 ||
		kubectl -n "$n" create serviceaccount default >/dev/null
done

pod early-1 early-2 early-3
start_watcher
check "pods that were there are listed" until_true 10 same pods pods -A
check "the resource is marked as synced" until_true 5 synced pods

"$STOREDUMP" --deltas "$run" pods >"$dir/deltas" &
follower_pid=$!
check "a subscriber is told of the watcher's epoch" until_true 5 delta ready

# shellcheck disable=SC2046
pod $(seq -f 'p%02g' 1 20)
kubectl -n "$ns" label pod p01 x=y >/dev/null
kubectl -n "$ns" annotate pod p02 x=y >/dev/null
kubectl -n "$ns" patch pod p03 --type merge -p '{"spec":{"containers":[{"name":"c","image":"i:2"}]}}' >/dev/null
kubectl -n "$ns" delete pod p04 early-1 --grace-period=0 --force >/dev/null 2>&1
check "created, changed and deleted pods arrive" until_true 5 same pods pods -A
check "delta of a new pod" until_true 2 delta "A $ns/p20 ffffffff"
check "delta of changed labels" until_true 2 delta "M $ns/p01 4$"
check "delta of changed annotations" until_true 2 delta "M $ns/p02 8$"
check "delta of a changed spec" until_true 2 delta "M $ns/p03 1$"
check "delta of a deleted pod" until_true 2 delta "D $ns/p04 ffffffff"

timeout 10 "$WATCHER" --runtime-dir="$run" 2>"$dir/second"
check "a second watcher refuses to start" grep -q "another writer has the store" "$dir/second"

stop_watcher KILL
kubectl -n "$ns" delete pod p05 --grace-period=0 --force >/dev/null 2>&1
kubectl -n "$ns" label pod p06 x=y >/dev/null
pod later
check "the store of a killed watcher can still be read" test "$("$STOREDUMP" "$run" pods | jq length)" -gt 20
rm -f "$run/metrics/watcher.prom"
start_watcher
check "a new watcher catches up" until_true 10 same pods pods -A
# as a delta, or, where the subscriber was not connected again in time, as part of the gap
check "the deletion it missed is published" until_true 5 delta "D $ns/p05\|^gap"
check "the subscriber learns of the new epoch" until_true 5 delta gap
check "it resumed without a list" until_true 3 metric_is $pods'_lists_total{resource="pods"}' 0

# The same API server again, without the events that it remembered.
restart_apiserver() {
	(
		. tests/cluster/lib.sh
		dir=$CLUSTER_DIR
		read -r pid _ <"$dir/run/kube-apiserver.pid"
		mapfile -d '' args <"/proc/$pid/cmdline"
		stop kube-apiserver KILL
		start kube-apiserver "${args[@]}"
	)
	until_true 60 kubectl get --raw /readyz >/dev/null
}
if [ -n "$cluster" ]; then
	restart_apiserver
	kubectl -n "$ns" label pod p08 x=y >/dev/null
	check "the API server may die and come back" until_true 20 same pods pods -A
	check "and the change after that is published" until_true 3 delta "M $ns/p08 4$"
	check "which costs at most one list" test "$(metric $pods'_relists_total{resource="pods"}')" -le 1
fi

stop_watcher TERM
kubectl -n "$ns" delete pod p07 --grace-period=0 --force >/dev/null 2>&1
"$STOREDUMP" --set-rv "$run" pods 1
rm -f "$run/metrics/watcher.prom"
start_watcher
[ -z "$cluster" ] ||
	check "a position that is too old leads to a list" until_true 10 metric_is $pods'_relists_total{resource="pods"}' 1
check "after a position far back the store is equal" until_true 5 same pods pods -A
check "the deletion missed meanwhile is published" until_true 3 delta "D $ns/p07"
check "unchanged pods are not published again" test "$(grep -c "A $ns/p20" "$dir/deltas")" = 1

check "other resources: nodes" until_true 5 same nodes nodes
kubectl -n "$ns" create -f - >/dev/null <<-REV
	{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r1"},"revision":1,"data":{"a":1}}
REV
check "controllerrevisions" until_true 5 same apps/controllerrevisions controllerrevisions -A
kubectl create -f - >/dev/null <<-HOOK
	{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",
	 "metadata":{"name":"t$$"},"webhooks":[]}
HOOK
check "webhook configurations" until_true 5 same \
	admissionregistration.k8s.io/mutatingwebhookconfigurations mutatingwebhookconfigurations
kubectl delete mutatingwebhookconfiguration "t$$" >/dev/null

kubectl -n kruise-system create secret generic other-secret --from-literal=a=b >/dev/null
kubectl -n kruise-system create secret generic kruise-webhook-certs --from-literal=a=b >/dev/null
only_the_certificates() { [ "$("$STOREDUMP" "$run" secrets | jq -r 'map(.metadata.name) | join(",")')" = kruise-webhook-certs ]; }
check "of Secrets only that of the certificates" until_true 5 only_the_certificates
kubectl -n kruise-system delete secret other-secret kruise-webhook-certs >/dev/null

if ! kubectl get crd clonesets.apps.kruise.io >/dev/null 2>&1; then
	kubectl create -f - >/dev/null <<-CRD
		{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		 "metadata":{"name":"clonesets.apps.kruise.io"},
		 "spec":{"group":"apps.kruise.io","scope":"Namespaced",
		  "names":{"kind":"CloneSet","listKind":"CloneSetList","plural":"clonesets","singular":"cloneset"},
		  "versions":[{"name":"v1alpha1","served":true,"storage":true,
		   "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
	CRD
	own_crd=1
fi
check "a CRD installed later is noticed" until_true 10 synced apps.kruise.io/clonesets
cloneset() {
	kubectl -n "$ns" create -f - >/dev/null 2>&1 <<-SET
		{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","metadata":{"name":"c"},"spec":{"replicas":9007199254740993}}
	SET
}
until_true 5 cloneset
clonesets_there() { [ "$("$STOREDUMP" "$run" apps.kruise.io/clonesets | grep -c '"replicas":9007199254740993')" = 1 ]; }
check "its objects arrive, 64-bit numbers whole" until_true 5 clonesets_there
kubectl -n "$ns" delete clonesets.apps.kruise.io c >/dev/null
[ -z "${own_crd:-}" ] || kubectl delete crd clonesets.apps.kruise.io >/dev/null

fresh() { [ "$("$STOREDUMP" --sync "$run" pods | jq '.age_usec < 1500000')" = true ]; }
check "the sign of life is fresh" until_true 2 fresh
stop_watcher TERM

# A watcher that may not list everything says what it lacks, and goes on once it may.
kubectl -n "$ns" create serviceaccount reader >/dev/null
token=$(echo '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}' |
	kubectl create --raw "/api/v1/namespaces/$ns/serviceaccounts/reader/token" -f - | jq -r .status.token)
kubectl config view --raw --minify -o json | jq --arg t "$token" '.users[0].user = {token: $t}' >"$dir/limited"
cat >"$dir/role" <<-ROLE
	{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"$ns"},
	 "rules":[{"apiGroups":["*"],"resources":["pods","controllerrevisions","clonesets","nodes"],"verbs":["list","watch"]}]}
ROLE
kubectl create -f "$dir/role" >/dev/null
kubectl create clusterrolebinding "$ns" --clusterrole="$ns" --serviceaccount="$ns:reader" >/dev/null
rm -rf "$run" && mkdir -m 700 "$run"
: >"$dir/log"
start_watcher --kubeconfig="$dir/limited"
check "what is allowed is synced" until_true 10 same pods pods -A
check "a refusal is logged by name" until_true 5 grep -q "persistentvolumeclaims: not allowed to list and watch" "$dir/log"
sed -i 's/"nodes"/"nodes","persistentvolumeclaims"/' "$dir/role"
kubectl apply -f "$dir/role" >/dev/null 2>&1
check "a permission given later is used" until_true 15 synced persistentvolumeclaims
stop_watcher TERM

rm -rf "$run" && mkdir -m 700 "$run"
kubectl create namespace "$ns-b" >/dev/null
start_watcher --namespace="$ns-b"
none() { synced pods && [ "$("$STOREDUMP" "$run" pods | jq length)" = 0 ]; }
check "--namespace leaves other namespaces out" until_true 10 none
stop_watcher TERM
start_watcher
check "another selection is listed anew" until_true 10 same pods pods -A
stop_watcher TERM

kubectl delete clusterrole,clusterrolebinding "$ns" >/dev/null
kubectl delete namespace "$ns" "$ns-b" --wait=false >/dev/null
[ $failed -eq 0 ] || { echo "# logs are in $dir" && tail -n 20 "$dir/log" | sed 's/^/# /'; }
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
