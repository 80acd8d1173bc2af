# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For suites that run kruised with children that misbehave on demand (fakechild.c). Sourced from the repo's root.
BUILD=${BUILD:-build}
passed=0 failed=0 n=0
kruised="$PWD/$BUILD/kruised"
ctl="$PWD/$BUILD/kruisectl"
# tmpfs, as in production; short, since sockets' paths are
T=$(mktemp -d /dev/shm/kruised-test.XXXXXX)
L=$T/libexec
pid=0

cleanup() {
	[ "$pid" -gt 0 ] && kill -KILL "$pid" 2>/dev/null
	[ -n "${outer:-}" ] && kill -KILL "$outer" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT

ok() {
	n=$((n + 1)) passed=$((passed + 1))
	echo "ok $n - $1"
}
not_ok() {
	n=$((n + 1)) failed=$((failed + 1))
	echo "not ok $n - $1"
	[ -f "${R:-}/stderr" ] && tail -n 25 "$R/stderr" | sed 's/^/# /'
}
# check WHAT COMMAND…
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what ($*)"; fi
}
# within SECONDS COMMAND…: true as soon as the command is
within() {
	local end=$(($(date +%s%N) + $1 * 1000000000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s%N)" -lt "$end" ] || return 1
		sleep 0.02
	done
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }

status() { "$ctl" --runtime-dir "$D" status; }
# field NAME COLUMN of the status table
field() { status 2>/dev/null | awk -v name="$1" -v col="$2" '$1 == name { print $col }'; }
pid_of() { field "$1" 2; }
state_is() { [ "$(field "$1" 3)" = "$2" ]; }
is_ready() { [ "$(field "$1" 4)" = yes ]; }
restarts() { field "$1" 6; }
is_new() { local p; p=$(pid_of "$1"); [ -n "$p" ] && [ "$p" != - ] && [ "$p" != "$2" ]; }
new_and_ready() { is_new "$1" "$2" && is_ready "$1"; }
all_ready() {
	local i
	for i in "$@"; do is_ready "$i" || return 1; done
}
logged() { grep -qE -- "$1" "$R/stderr"; }
env_has() { grep -qE "$2" "$F/$1.env"; }
fake_log() { grep -qE -- "$1" "$F/log"; }
port_of() { sed -n "s/^$1=//p" "$D/ports"; }
connects() { (exec 3<>"/dev/tcp/127.0.0.1/$(port_of webhook)") 2>/dev/null; }
answer() { timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$(port_of webhook) && cat <&3"; }
running() { kill -0 "$1" 2>/dev/null; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# start NAME [FLAGS…]: a kruised of its own directories
start() {
	R=$T/$1 F=$T/$1/fake D=$T/$1/run
	shift
	mkdir -p "$R" "$F"
	: >"$F/log" && chmod 666 "$F/log"
	flags=(--runtime-dir "$D" --libexec-dir "$L" --sandbox-writable "$F" --metrics-addr 127.0.0.1:0 --health-probe-addr 127.0.0.1:0 "$@")
	FAKE_DIR=$F WEBHOOK_PORT=0 "${prefix[@]}" "$kruised" "${flags[@]}" 2>"$R/stderr" </dev/null &
	pid=$!
}
prefix=(env)
finish() {
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	rc=$?
	pid=0
}

build_fake() {
	# shellcheck disable=SC2054
	local libs=(-Wl,--start-group "$BUILD"/lib{kube,ipc,base}.a -Wl,--end-group) san=()
	# shellcheck disable=SC2054
	case $BUILD in *asan*) san=(-fsanitize=address,undefined) ;; esac
	mkdir -p "$L"
	# shellcheck disable=SC2046
	${CC:-gcc} -std=gnu11 -O1 -D_GNU_SOURCE -I. "${san[@]}" -o "$L/kruise-watcher" tests/integration/fakechild.c \
		"${libs[@]}" $(pkg-config --cflags --libs libsystemd libzmq msgpack lmdb) -lm || return 1
	cp "$L/kruise-watcher" "$L/kruise-worker" && cp "$L/kruise-watcher" "$L/kruise-webhookd"
}
