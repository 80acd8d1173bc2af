#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# New binaries without a loss: `kruisectl reload` under 200 admissions a second, on a real API server, with kruised
# itself replaced; programs that do not run, and a state that cannot be read.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup upgrade

# a copy of the programs that may be replaced
programs=$work/libexec
mkdir "$programs" && cp "$build"/kruise{d,-watcher,-worker,-webhookd} "$programs/"
install_new() { install -m 755 "$build/$1" "$programs/$1.new" && mv "$programs/$1.new" "$programs/$1"; }
tools=$build
build_kruised() { # lib.sh starts $build/kruised
	mkdir "$work/bin" && ln -s "$programs"/* "$work/bin/" && ln -s "$tools/kruisectl" "$work/bin/"
}
build_kruised
build=$work/bin
kruised_flags=(--libexec-dir "$programs")
start_kruised "${kruised_flags[@]}"

pid_now() { ctl status | sed -n 's/^pid: //p'; }
pids() { ctl status | awk '/^NAME/ { t = 1; next } t { print $1, $2 }' | sort; }
exe_of() { readlink "/proc/$1/exe"; }
uptime_grows() { [ "$(ctl status | sed -n 's/^uptime: \([0-9.]*\).*/\1/p' | cut -d. -f1)" -ge 1 ]; }
jq -n '{apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {uid: "u", operation: "CREATE", namespace: "default",
	resource: {group: "apps.kruise.io", version: "v1alpha1", resource: "clonesets"},
	object: {apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", metadata: {namespace: "default", name: "steady"},
	spec: {replicas: 1, selector: {matchLabels: {app: "x"}}, template: {metadata: {labels: {app: "x"}},
	spec: {containers: [{name: "main", image: "nginx:1.19"}]}}}}}}' >"$work/review.json"

start_load() {
	touch "$work/load"
	"$tools/test-steady" "$WEBHOOK_PORT" /mutate-apps-kruise-io-v1alpha1-cloneset "$work/review.json" 200 "$work/load" \
		>"$work/load.out" 2>"$work/load.err" &
	load=$!
}
answered() { tail -n 1 "$work/load.out" | sed 's/ answered.*//'; }
answered_more() { [ "$(answered)" -ge "$1" ]; }
# so many more admissions, failed ones not counted
load_goes_on() { until_true 60 answered_more $(($(answered) + 200)); }
end_load() { rm "$work/load" && wait "$load"; }
none_failed() {
	tail -n 1 "$work/load.out" && tail -n 5 "$work/load.err"
	[ "$(answered)" -ge 400 ] && tail -n 1 "$work/load.out" | grep -q ' answered, 0 failed$'
}
# under_load COMMAND…: with at least 200 admissions before it and after it
under_load() {
	local rc
	start_load
	until_true 10 test -s "$work/load.out"
	load_goes_on
	"$@"
	rc=$?
	load_goes_on
	end_load
	return $rc
}

# ---- all programs are replaced
pids >"$work/before"
old=$(pid_now)
for p in kruised kruise-watcher kruise-worker kruise-webhookd; do install_new $p; done
check "the running kruised is that of a file that is no more" grep -q deleted <<<"$(exe_of "$old")"
check "kruisectl reload" under_load ctl reload
check "of $(answered) admissions none failed" none_failed
check_eq "the process is the same" "$old" "$(pid_now)"
check_eq "its program is the new one" "$programs/kruised" "$(exe_of "$old")"
pids >"$work/after"
check_eq "every child was replaced" "" "$(comm -12 "$work/before" "$work/after")"
check "none is left over" bash -c "[ \$(pgrep -cP $old) = \$(wc -l <'$work/after') ]"
check "nobody was restarted a second time" bash -c "! grep -q 'unexpectedly' '$work/kruised.log'"
check "leadership was never lost" bash -c "! grep -q 'leadership lost' '$work/kruised.log'"
check "the log says so" grep -q 'this kruised has taken over from its predecessor, with all children' "$work/kruised.log"
check "everything is ready again" until_true 10 kruised_ready
check "a second reload works as well" under_load ctl reload
check "of $(answered) admissions none failed" none_failed
check "kruised answers" ctl status

# ---- SIGHUP, and admission through the API server meanwhile
create() { kubectl create --dry-run=server -f - <<<"$(jq .request.object "$work/review.json")"; }
kill -HUP "$old"
check "admission through the API server during a reload" create
finished() { [ "$(grep -c 'reload: [0-9]* children replaced' "$work/kruised.log")" -ge 3 ]; }
check "SIGHUP reloads too" until_true 30 finished

# ---- programs that do not run
pids >"$work/before"
printf '\x7fELF half of a file' >"$programs/kruised.new" && chmod 755 "$programs/kruised.new" && mv "$programs/kruised.new" "$programs/kruised"
fails() { ! "$@"; }
check "a program that cannot be started fails the reload" fails ctl reload
check_eq "and nothing was replaced" "$(cat "$work/before")" "$(pids)"
printf '#!/bin/sh\nexit 3\n' >"$programs/kruised" && chmod 755 "$programs/kruised"
check "so does one that fails at once" fails ctl reload
check_eq "and the old one goes on" "$(cat "$work/before")" "$(pids)"
rm "$programs/kruised"
check "so does a missing one" fails ctl reload

# ---- a new version that does not understand the old one's state
echo 'kruised-handover 99' >"$work/other-state"
cat >"$programs/kruised" <<-SCRIPT
	#!/bin/bash
	# the descriptor of the state is replaced by one of another version
	fd=\$(sed -n 's/.*state:\([0-9]*\).*/\1/p' <<<"\${KRUISED_HANDOVER_FDS:-}")
	if [ -n "\$fd" ]; then eval "exec \$fd<$work/other-state"; fi
	exec -a kruised "$tools/kruised" "\$@"
SCRIPT
chmod 755 "$programs/kruised"
check "a state of another version: kruised comes up" under_load ctl reload
check_eq "in the same process" "$old" "$(pid_now)"
check "it says what it did" grep -q 'taking over failed: the state is of another version' "$work/kruised.log"
pids >"$work/after"
check_eq "all children are new" "" "$(comm -12 "$work/before" "$work/after")"
check "and no old one is left" bash -c "[ \$(pgrep -cP $old) = \$(wc -l <'$work/after') ]"
check "everything is ready again" until_true 30 kruised_ready
check "no connection was refused meanwhile" bash -c "! grep -q 'Connection refused' '$work/load.err'"

stop_kruised
check_eq "it stops in order" 0 "$kruised_status"
finish
