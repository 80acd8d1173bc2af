# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What test scripts share: results, waiting, a cluster, simulated nodes, kruised. Sourced.
#
#   setup NAME [arguments of tests/cluster/up]    a cluster of its own, removed at the end
#   start_kruised [flags]                         kruised in URL mode on loopback; RUNDIR, HEALTH, METRICS
#   start_nodesim [flags]
#   check "what" COMMAND…                         one test
#   finish                                        the last line, and the exit status

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/${BUILD:-build}
passed=0 failed=0

ok() { passed=$((passed + 1)) && echo "ok $((passed + failed)) - $*"; }
not_ok() { failed=$((failed + 1)) && echo "not ok $((passed + failed)) - $*"; }

# check WHAT COMMAND… : the command's output is shown only when it fails
check() {
	local what=$1 out
	shift
	if out=$("$@" 2>&1); then ok "$what"; else not_ok "$what" && sed 's/^/  # /' <<<"$out" | tail -n 30; fi
}

# check_eq WHAT EXPECTED ACTUAL
check_eq() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" && printf '  # expected: %s\n  # actual:   %s\n' "$2" "$3"; fi
}

# until_true SECONDS COMMAND… : polls a condition
until_true() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

# becomes SECONDS EXPECTED COMMAND… : until the command prints the expected text
becomes() {
	local seconds=$1 want=$2 got='' deadline=$((SECONDS + $1))
	shift 2
	while :; do
		got=$("$@" 2>/dev/null) || true
		[ "$got" != "$want" ] || return 0
		[ $SECONDS -lt $deadline ] || break
		sleep 0.1
	done
	echo "after $seconds s: expected '$want', got '$got'"
	return 1
}

setup() {
	test_name=$1-$$
	shift
	work=$(mktemp -d "${TMPDIR:-/tmp}/kruised-test.XXXXXX")
	trap teardown EXIT
	local env
	env=$("$root/tests/cluster/up" --name "$test_name" "$@") || exit 1
	# shellcheck disable=SC1090
	. "$env"
}

teardown() {
	local rc=$?
	trap - EXIT
	stop_kruised
	[ -z "${nodesim_pid:-}" ] || kill "$nodesim_pid" 2>/dev/null
	"$root/tests/cluster/down" --name "$test_name" >/dev/null 2>&1
	rm -rf "$work" "${RUNDIR:-}"
	exit $rc
}

install_kruised() {
	# not again: kruised has changed where conversion is found
	kubectl get crd clonesets.apps.kruise.io -o jsonpath='{.spec.versions[*].name}' 2>/dev/null | grep -q v1beta1 ||
		kubectl apply -f "$root/packaging/crds/" >/dev/null
	kubectl get namespace kruise-system >/dev/null 2>&1 || kubectl create namespace kruise-system >/dev/null
	kubectl wait --for=condition=Established crd/clonesets.apps.kruise.io --timeout=30s >/dev/null
}

# Tests patch in the terms of v1alpha1, where kubectl would take v1beta1.
kubectl() {
	if [ "${1:-}" = patch ] && [[ ${2:-} =~ ^(clone|clonesets?)$ ]]; then
		shift 2
		command kubectl patch clonesets.v1alpha1.apps.kruise.io "$@"
	else
		command kubectl "$@"
	fi
}

free_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		ss -Hltn "sport = :$port" | grep -q . || { echo $port && return; }
	done
}

# The log goes on in $work/kruised.log when it is started again. KEEP_CRD=1: with the CRD that is installed.
start_kruised() {
	[ -n "${KEEP_CRD:-}" ] || install_kruised
	RUNDIR=${RUNDIR:-$(mktemp -d /dev/shm/kruised-run.XXXXXX)}
	export RUNDIR
	WEBHOOK_PORT=${WEBHOOK_PORT:-$(free_port)}
	WEBHOOK_HOST=127.0.0.1 WEBHOOK_PORT=$WEBHOOK_PORT WEBHOOK_CERT_DIR=$RUNDIR/certs \
		"$build/kruised" --runtime-dir "$RUNDIR" --metrics-addr 127.0.0.1:0 --health-probe-addr 127.0.0.1:0 \
		"$@" </dev/null >>"$work/kruised.log" 2>&1 &
	kruised_pid=$!
	if ! until_true 60 kruised_ready; then
		echo "kruised did not become ready; the end of its log:" >&2
		tail -n 30 "$work/kruised.log" >&2
		"$build/kruisectl" --runtime-dir "$RUNDIR" status >&2
		not_ok "kruised becomes ready"
		finish
	fi
}

# record FILE N [arguments of kubectl get]: writes a watch's events to the file in the background ($recorder), and
# returns when the N objects that exist are in: their order says nothing, what follows happened in that order.
record() {
	local file=$1 n=$2
	shift 2
	kubectl get "$@" -w -o json --output-watch-events >"$file" 2>/dev/null &
	recorder=$!
	until_true 20 recorded "$file" "$n"
}
recorded() { [ "$(jq -s length "$1")" -ge "$2" ]; }

port_of() { sed -n "s/^$1=//p" "$RUNDIR/ports"; }

kruised_ready() {
	HEALTH=http://127.0.0.1:$(port_of health) METRICS=http://127.0.0.1:$(port_of metrics)
	curl -sf "$HEALTH/readyz" && ctl status | grep -qE '^cloneset .* (yes|ready) '
}

ctl() { "$build/kruisectl" --runtime-dir "$RUNDIR" "$@"; }

# pid of a child, by its name in kruisectl status
child_pid() { ctl status | awk -v n="$1" '$1 == n {print $2}'; }

stop_kruised() {
	[ -n "${kruised_pid:-}" ] || return 0
	kill -TERM "$kruised_pid" 2>/dev/null
	until_true 20 not_running "$kruised_pid" || kill -KILL "$kruised_pid" 2>/dev/null
	wait "$kruised_pid" 2>/dev/null
	kruised_status=$?
	kruised_pid=
}
not_running() { ! kill -0 "$1" 2>/dev/null; }

start_nodesim() {
	"$build/nodesim" --kubeconfig "$KUBECONFIG" --ready-file "$work/nodesim.ready" "$@" </dev/null \
		>"$work/nodesim.log" 2>&1 &
	nodesim_pid=$!
	until_true 30 test -e "$work/nodesim.ready" || { echo "nodesim did not start" && tail "$work/nodesim.log" && exit 1; }
}

# A sanitizer's complaint in any log is a failure of its own, and so is a child that crashed, except where the
# suite has made it (CRASHES=1): it is replaced in no time, and the results may be right all the same.
check_logs() {
	[ ! -e "${work:-}/kruised.log" ] || [ -n "${CRASHES:-}" ] || check "no child has crashed" no_match \
		'exited unexpectedly with status|was ended by signal (4|5|6|7|8|11) ' "$work/kruised.log"
	[ ! -e "${work:-}/kruised.log" ] || check "no sanitizer report in the log" no_match \
		'ERROR: AddressSanitizer|runtime error:|ERROR: LeakSanitizer' "$work/kruised.log"
}
no_match() { ! grep -nE -A 25 "$1" "$2"; }

finish() {
	check_logs
	if [ $failed -gt 0 ] && [ -e "${work:-}/kruised.log" ]; then
		echo "  # the end of kruised's log:"
		tail -n 40 "$work/kruised.log" | sed 's/^/  # /'
	fi
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ] && exit 0
	exit 1
}
