#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The supervisor with children that crash, hang and leak on demand (fakechild.c). No cluster is needed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/fake.sh

check "the test child builds" build_fake || exit 1
base=(watcher webhookd-0 webhookd-1 webhookconfig elector)
leader=(podreadiness containerlaunchpriority cloneset)

# --- start-up, conditions, environment --------------------------------------------------------
touch_early() { mkdir -p "$T/main/fake" && touch "$T/main/fake/webhookconfig.noready"; }
touch_early
start main
check "the base children become ready" within 10 all_ready watcher webhookd-0 webhookd-1 elector
check "webhookconfig runs and is not ready" within 5 state_is webhookconfig running
check "leader workers wait without a leader" state_is cloneset waiting
echo 60000000 >"$F/elector.until"
leads() { status | grep -q '^leader: yes'; }
check "the elector's word makes a leader" within 5 leads
check "leader workers wait for webhookconfig" state_is cloneset waiting
rm "$F/webhookconfig.noready"
check "then they start" within 5 all_ready "${leader[@]}"
check "webhookd inherits the sockets" env_has webhookd-0 '^KRUISED_FD_webhook=[0-9]+$'
check "the chosen port is exported" env_has webhookd-1 "^WEBHOOK_PORT=$(port_of webhook)\$"
check "workers get no sockets" bash -c "! grep -q ^KRUISED_FD_ '$F/cloneset.env'"
check "workers have no descriptors but the first three" test "$(sort -n "$F/cloneset.fds" | tr '\n' ' ')" = "0 1 2 "
check "workers get their name, then the flags" env_has cloneset '^argv\[1\]=cloneset$'
check "and the flags unchanged" env_has cloneset "^argv\\[3\\]=$D\$"
check "no_new_privs is set" env_has watcher '^no_new_privs=1$'
tokens_differ() { [ "$(cat "$F"/*.env | grep -c ^KRUISED_TOKEN=)" = "$(cat "$F"/*.env | grep ^KRUISED_TOKEN= | sort -u | wc -l)" ]; }
check "each child has its own token" tokens_differ
check "the run directory is private" test "$(stat -c %a "$D")" = 700
check "so is the control socket of kruisectl" test "$(stat -c %a "$D/ctl")" = 600
check "a webhookd answers on the socket" bash -c "[[ '$(answer)' == webhookd-* ]]"

# --- a second supervisor ----------------------------------------------------------------------
second() { FAKE_DIR=$F WEBHOOK_PORT=0 "$kruised" "${flags[@]}" >"$R/second" 2>&1; }
check "a second supervisor is refused" bash -c "! FAKE_DIR=$F WEBHOOK_PORT=0 '$kruised' ${flags[*]} 2>'$R/second'"
check "and says why" grep -q "another kruised, process $pid uses the run directory" "$R/second"
taken() { WEBHOOK_PORT=$(port_of webhook) "$kruised" --runtime-dir "$T/other" --libexec-dir "$L" 2>"$R/taken"; }
taken
check "a port in use names the flag and the address" grep -qE 'WEBHOOK_PORT: cannot listen on :[0-9]+: Address already in use' "$R/taken"

# --- death ------------------------------------------------------------------------------------
old=$(pid_of cloneset) before=$(now_ms)
kill -KILL "$old"
check "a killed worker is replaced" within 5 new_and_ready cloneset "$old"
check "at once (under 1 s, $(($(now_ms) - before)) ms)" test $(($(now_ms) - before)) -lt 1000
check "and counted" test "$(restarts cloneset)" = 1
check "the end is logged with its signal" logged "cloneset: pid $old was ended by signal 9"
check "nobody else was touched" test "$(restarts podreadiness)" = 0

old=$(pid_of webhookd-0)
kill -STOP "$(pid_of webhookd-1)"
check "one of two webhookd stopped: the other answers" test "$(answer)" = webhookd-0
touch "$F/webhookd-0.crash" "$F/webhookd-1.crash"
both_down() { ! all_ready webhookd-0 && ! all_ready webhookd-1; }
check "both webhookd are down" within 10 both_down
check "still no connection is refused" connects
answer >"$R/late" &
waiter=$!
rm "$F"/webhookd-?.crash
"$ctl" --runtime-dir "$D" restart webhookd-0 >/dev/null
wait "$waiter"
check "a client that came meanwhile is served" grep -q '^webhookd-' "$R/late"
check "both webhookd come back" within 35 all_ready webhookd-0 webhookd-1

touch "$F/podreadiness.crash"
four_starts() { [ "$(grep -c 'podreadiness: restarts in' "$R/stderr")" -ge 5 ]; }
check "a crash loop goes on" within 15 four_starts
delays() { sed -n 's/.*podreadiness: restarts in \([0-9]*\) ms/\1/p' "$R/stderr" | head -n 5 | tr '\n' ' '; }
check "with doubling delays ($(delays))" test "$(delays)" = "0 100 200 400 800 "
check "the exit status is logged" logged 'podreadiness: pid [0-9]+ exited unexpectedly with status 3'
check "its siblings do not notice" test "$(restarts cloneset)" = 1
rm "$F/podreadiness.crash"
check "and it recovers" within 30 is_ready podreadiness

# --- hanging ----------------------------------------------------------------------------------
old=$(pid_of webhookd-0) before=$(now_ms)
kill -STOP "$old"
check "a stopped webhookd is replaced" within 10 new_and_ready webhookd-0 "$old"
took=$(($(now_ms) - before))
check "after 2 s and within 3.5 s ($took ms)" test $took -ge 1400 -a $took -le 3500
check "it got SIGABRT, then SIGKILL" logged "webhookd-0: still there; SIGKILL to pid $old"
old=$(pid_of watcher) before=$(now_ms)
touch "$F/watcher.hang"
check "a watcher whose loop hangs gets SIGABRT" within 15 logged "watcher: hung: no heartbeat"
check "and is replaced" within 5 new_and_ready watcher "$old"
took=$(($(now_ms) - before))
check "after about 10 s ($took ms)" test $took -ge 9000 -a $took -le 13000
check "SIGABRT was enough" logged "watcher: pid $old was ended by signal 6"

metric_is() { grep -qxF "$1" "$D/metrics/kruised.prom"; }
check "hung children are in the metrics" within 5 metric_is 'kruised_child_hung_total{child="watcher"} 1'
check "readiness too" within 5 metric_is 'kruised_child_ready{child="watcher"} 1'

# --- memory -----------------------------------------------------------------------------------
if [[ $BUILD == *asan* ]]; then
	ok "a leak ends its process alone # SKIP sanitizers need the address space"
else
	old=$(pid_of cloneset)
	touch "$F/cloneset.leak"
	leaked() { logged "cloneset: pid $old exited unexpectedly with status 1"; }
	check "a leaking worker ends at its limit" within 20 leaked
	rm "$F/cloneset.leak"
	check "and is replaced" within 30 new_and_ready cloneset "$old"
	check "the limit is the table's" grep -qE "^Max data size +1073741824 " "/proc/$(pid_of cloneset)/limits"
fi

# --- kruisectl --------------------------------------------------------------------------------
before=$(restarts cloneset) old=$(pid_of cloneset)
check "restart NAME" "$ctl" --runtime-dir "$D" restart cloneset
check "replaces the child" within 5 new_and_ready cloneset "$old"
check "in good order" fake_log "^stop cloneset $old\$"
touch "$F/cloneset.slowstop"
old=$(pid_of cloneset)
"$ctl" --runtime-dir "$D" restart cloneset
check "one that does not stop is killed and replaced" within 10 new_and_ready cloneset "$old"
rm "$F/cloneset.slowstop"
check "log-level all" "$ctl" --runtime-dir "$D" log-level all debug
level_is() { [ "$(cat "$F/$1.level")" = "$2" ]; }
check "reaches a child" within 5 level_is watcher debug
old=$(pid_of watcher)
kill -KILL "$old"
check "and outlives it" within 5 new_and_ready watcher "$old"
check "(the new one has it too)" within 5 level_is watcher debug
check "log-level NAME" "$ctl" --runtime-dir "$D" log-level cloneset trace
check "reaches that child" within 5 level_is cloneset trace
check "and not the others" level_is podreadiness debug
ctl_rc() {
	local want=$1
	shift
	"$ctl" "$@" >"$R/ctl.out" 2>&1
	[ $? -eq "$want" ]
}
check "an unknown child: status 1" ctl_rc 1 --runtime-dir "$D" restart nobody
check "an unknown level: status 1" ctl_rc 1 --runtime-dir "$D" log-level all loud
check "an unknown command: status 2" ctl_rc 2 --runtime-dir "$D" explode
check "no command: status 2" ctl_rc 2
check "--help: status 0" ctl_rc 0 --help
check "no kruised: status 1" ctl_rc 1 --runtime-dir "$T/nothing" status
check "with a hint" grep -q 'kruised is not running?' "$R/ctl.out"
status >"$R/status"
check "status has memory, note and version" bash -c "grep -qE '^cloneset .*[0-9]+\.[0-9] +[0-9]+\.[0-9] +a note' '$R/status' && grep -q '^version: ' '$R/status'"

# --- reload -----------------------------------------------------------------------------------
pids() { status | awk '/^NAME/ { t = 1; next } t { print $1, $2 }' | sort; }
pids >"$R/pids.before"
touch "$R/serving"
probe() { while [ -e "$R/serving" ]; do answer >/dev/null || echo refused; done >"$R/refused"; }
probe &
prober=$!
check "reload" "$ctl" --runtime-dir "$D" reload
rm "$R/serving"
wait "$prober"
pids >"$R/pids.after"
check "replaced every child" test -z "$(comm -12 "$R/pids.before" "$R/pids.after")"
check "without a refused connection" test ! -s "$R/refused"
check "and without losing leadership" bash -c "! grep -q 'leadership lost' '$R/stderr'"
check "leader workers run after it" within 5 all_ready "${leader[@]}"

# --- hostile input ----------------------------------------------------------------------------
total_restarts() { status | awk '/^NAME/ { t = 1; next } t { n += $6 } END { print n }'; }
before=$(total_restarts)
"$L/kruise-watcher" --attack "ipc://$D/control" 2000
refused() { logged 'control channel: .*refused'; }
check "foreign messages on the control channel are refused" within 5 refused
for _ in 1 2 3 4 5; do
	head -c 100000 /dev/urandom | timeout 5 perl -MIO::Socket::UNIX -e '
		$SIG{PIPE} = "IGNORE"; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
		local $/; print $s <STDIN>; ' "$D/control"
	head -c 100000 /dev/urandom | timeout 5 perl -MIO::Socket::UNIX -e '
		$SIG{PIPE} = "IGNORE"; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
		local $/; print $s <STDIN>; ' "$D/ctl"
done
# 40 connections that say nothing
perl -MIO::Socket::UNIX -e 'my @s = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) } 1 .. 40;
	for (@s) { $_ or next; 1 while sysread($_, my $b, 4096) }' "$D/ctl" &
idler=$!
check "kruisectl answers after garbage, and among silent connections" within 8 status
check "silent connections are closed" within 8 gone "$idler"
check "nobody was restarted by it" test "$(total_restarts)" = "$before"
check "and the supervisor is the same" running "$pid"

# --- the supervisor held up -------------------------------------------------------------------
kill -STOP "$pid"
held=$(now_ms)
while [ $(($(now_ms) - held)) -lt 3000 ]; do read -rt 0.1 _ <> <(:); done
kill -CONT "$pid"
check "a supervisor that was stopped says so" within 5 logged 'the supervisor itself was held up'
check "and restarts nobody for it" test "$(total_restarts)" = "$before"

# --- leadership -------------------------------------------------------------------------------
old=$(pid_of elector)
kill -KILL "$old"
check "a dead elector is replaced" within 5 new_and_ready elector "$old"
check "and the leader's workers live on" test "$(total_restarts)" = $((before + 1))
old=$(pid_of cloneset)
echo 300000 >"$F/elector.until"
# it must have been read before it goes
check "a shorter promise is taken" within 5 fake_log '^until 300000$'
rm "$F/elector.until"
not_leading() { ! leads; }
check "when it has passed, the leader's workers are killed" within 3 gone "$old"
check "and wait" within 3 state_is cloneset waiting
check "leadership is over in the status" within 3 not_leading
check "admission goes on" all_ready webhookd-0 webhookd-1
echo 60000000 >"$F/elector.until"
check "with leadership they come back" within 5 all_ready "${leader[@]}"

# --- stop -------------------------------------------------------------------------------------
: >"$F/log"
before=$(now_ms)
finish
check "SIGTERM: exit status 0" test "$rc" -eq 0
order=$(awk '$1 == "exit" { print $2 }' "$F/log" | tr '\n' ' ')
sorted() { awk '{ a[$1] = NR } END { exit !(a["cloneset"] < a["elector"] && a["podreadiness"] < a["elector"] &&
	a["elector"] < a["webhookconfig"] && a["webhookconfig"] < a["webhookd-0"] && a["webhookconfig"] < a["webhookd-1"] &&
	a["webhookd-0"] < a["watcher"] && a["webhookd-1"] < a["watcher"]) }' <<<"${order// /$'\n'}"; }
check "in order: $order" sorted
check "each stopped by itself" test "$(wc -w <<<"$order")" = $((${#base[@]} + ${#leader[@]}))
check "in under 3 s" test $(($(now_ms) - before)) -lt 3000
check "no sanitizer complained" bash -c "! grep -qE 'ERROR: (Address|Leak)Sanitizer|runtime error' '$R/stderr'"

# --- stubborn children; death of the supervisor ------------------------------------------------
start stubborn --enable-leader-election=false
check "without election: leader workers start, no elector" within 10 all_ready "${leader[@]}" webhookd-0
check "the elector does not run" state_is elector waiting
for i in "${base[@]}" "${leader[@]}"; do touch "$F/$i.slowstop"; done
before=$(now_ms)
finish
took=$(($(now_ms) - before))
check "children that do not stop: all is over within 10.5 s ($took ms)" test $took -le 10500 -a "$rc" -eq 0
start orphaned --enable-leader-election=false
check "it starts again" within 10 all_ready watcher cloneset
w=$(pid_of watcher) c=$(pid_of cloneset)
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "children die with the supervisor" within 2 gone "$w"
check "(all of them)" within 2 gone "$c"
start orphaned --enable-leader-election=false
check "the next one starts in the same directory" within 10 all_ready watcher cloneset
finish

# --- a child that never speaks; a missing program ----------------------------------------------
mkdir -p "$T/mute/fake" && touch "$T/mute/fake/webhookconfig.mute"
start mute --enable-leader-election=false
check "a child that never speaks is hung after its grace" within 15 logged 'webhookconfig: hung: no message since its start'
finish
mkdir -p "$T/libexec2" && cp "$L/kruise-watcher" "$L/kruise-webhookd" "$T/libexec2/"
start missing --enable-leader-election=false --libexec-dir "$T/libexec2"
check "a missing program is named" within 5 logged 'webhookconfig: .*is kruise-worker in the libexec folder'
check "the others run" within 5 all_ready watcher webhookd-0
finish

# --- systemd ----------------------------------------------------------------------------------
perl -MIO::Socket::UNIX -MSocket -e '
	my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die; $| = 1;
	open(my $o, ">>", $ARGV[1]); $o->autoflush(1); while (1) { $s->recv(my $m, 4096); print $o "$m\n"; }' \
	"$T/nsock" "$T/ntext" &
notifier=$!
within 5 test -S "$T/nsock"
prefix=(env NOTIFY_SOCKET="$T/nsock" WATCHDOG_USEC=1000000)
start notified --enable-leader-election=false
prefix=(env)
check "READY=1 is sent" within 10 grep -q '^READY=1$' "$T/ntext"
check "and STATUS" within 5 grep -q "^STATUS=[0-9]* of $((${#base[@]} - 1 + ${#leader[@]})) children ready" "$T/ntext"
beats() { [ "$(grep -c '^WATCHDOG=1$' "$T/ntext")" -ge 3 ]; }
check "the watchdog is fed" within 10 beats
check "children do not get the notify socket" bash -c "! grep -qE '^(NOTIFY_SOCKET|WATCHDOG_USEC)=' '$F/watcher.env'"
finish
check "STOPPING=1 is sent" within 5 grep -q '^STOPPING=1$' "$T/ntext"
kill "$notifier"
wait "$notifier" 2>/dev/null
cat >"$T/activate.pl" <<'PERL'
use IO::Socket::INET; use Fcntl;
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", ReuseAddr => 1) or die;
open(my $o, ">", shift @ARGV); print $o $s->sockport; close $o;
POSIX::dup2(fileno($s), 3) if fileno($s) != 3;
fcntl(STDIN, F_GETFD, 0); open(my $k, "<&=", 3); fcntl($k, F_SETFD, 0);
$ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_FDNAMES} = "webhook";
exec @ARGV;
PERL
prefix=(perl -MPOSIX "$T/activate.pl" "$T/aport")
start activated --enable-leader-election=false
prefix=(env)
check "a socket passed by systemd is taken" within 10 all_ready webhookd-0
check "(its port)" test "$(port_of webhook)" = "$(cat "$T/aport")"
check "and served" bash -c "[[ '$(answer)' == webhookd-* ]]"
finish

# --- another user -----------------------------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && id nobody >/dev/null 2>&1; then
	mkdir -p "$T/user/fake" && chmod 755 "$T" "$T/user" "$L" && chmod 755 "$L"/* && chmod 777 "$T/user/fake"
	start user --enable-leader-election=false --user nobody
	check "children run as --user" within 10 all_ready watcher cloneset webhookd-0
	check "(really)" env_has cloneset "^uid=$(id -u nobody)\$"
	check "without capabilities" grep -q '^CapBnd:.0000000000000000$' "/proc/$(pid_of cloneset)/status"
	w=$(pid_of watcher)
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	check "and die with the supervisor" within 2 gone "$w"
	pid=0
else
	ok "children run as --user # SKIP needs root"
fi

# --- PID 1 ------------------------------------------------------------------------------------
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	prefix=(unshare --pid --fork --kill-child --mount-proc)
	mkdir -p "$T/one/fake" && touch "$T/one/fake/watcher.orphan"
	start one --enable-leader-election=false
	prefix=(env)
	outer=$pid
	check "as PID 1 it starts its children" within 10 all_ready watcher cloneset webhookd-0
	check "it is PID 1" bash -c "'$ctl' --runtime-dir '$D' status | grep -qx 'pid: 1'"
	inner=$(pgrep -P "$outer" | head -n 1)
	within 5 fake_log '^orphan'
	no_zombies() { ! ps -o stat= --ppid "$inner" | grep -q '^Z'; }
	check "it reaps orphans" within 5 no_zombies
	kill -TERM "$inner"
	wait "$outer"
	check "SIGTERM to PID 1 stops all in order" fake_log '^exit watcher'
	pid=0 outer=
else
	ok "PID 1 # SKIP no PID namespaces here"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
