#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What holds a child in (fakechild.c tries to get out): as root with and without --user, and as an ordinary user.
# No cluster is needed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/fake.sh

# a child that does not get the layer says so in the status; where the machine has it, it must be in force
in_force() { status | grep -E "^sandbox of ([a-z0-9-]+, )*$1[,:]" | sed 's/; not in force:.*//' | grep -qF "$2"; }
signalled() { [ -s "$F/$1.signalled" ] && [ ! -e "$F/$1.signal" ]; }

attack() { # NAME: what the attempts of one child come to
	local name=$1 victim
	victim=$(pid_of watcher)
	if in_force "$name" "seccomp"; then
		local old
		old=$(pid_of "$name")
		touch "$F/$name.forbidden"
		check "$name: a forbidden system call ends the process" within 5 gone "$old"
		check "$name: the supervisor says which child it was" within 5 logged "$name: pid $old made a system call that its seccomp filter forbids"
		check "$name: it is replaced" within 5 new_and_ready "$name" "$old"
		check "$name: nobody else was touched" test "$(pid_of watcher)" = "$victim"
		old=$(pid_of "$name")
		touch "$F/$name.exec"
		check "$name: who gave up starting programs cannot" within 5 gone "$old"
		check "$name: it is replaced again" within 5 new_and_ready "$name" "$old"
	else
		ok "$name: seccomp # SKIP $(status | grep -o 'seccomp ([^)]*)' | head -n 1)"
	fi
	echo "$victim" >"$F/$name.signal"
	check "$name: it has tried to kill the watcher" within 5 signalled "$name"
	if in_force "$name" Landlock && ! in_force "$name" "Landlock without signals"; then
		check "$name: which is not its to kill" running "$victim"
	fi
	if [ "$(sed -n 's/^CapEff:\s*//p' "/proc/$(pid_of "$name")/status")" = 0000000000000000 ]; then
		check "$name: nor its environment to read" grep -q '^environ: refused' "$F/$name.signalled"
	fi
}

writes() { # NAME PATH: what the kernel says to the child's attempt
	echo "$2" >"$F/$1.write"
	within 5 test ! -e "$F/$1.write" && cat "$F/$1.written"
}

view() {
	local name=$1
	touch "$D/store/data.mdb" && chmod 666 "$D/store/data.mdb"
	if in_force "$name" Landlock || in_force "$name" "read-only view"; then
		check "$name: other folders are read-only" grep -qE 'Read-only|denied' <<<"$(writes "$name" "$T/elsewhere/file")"
		check "$name: so is the store's data" grep -qE 'Read-only|denied' <<<"$(writes "$name" "$D/store/data.mdb")"
		check "$name: and another's journal" grep -qE 'Read-only|denied' <<<"$(writes "$name" "$D/journal-podreadiness")"
		check "$name: its own journal is writable" grep -q '^done' <<<"$(writes "$name" "$D/journal-cloneset")"
	else
		ok "$name: read-only view # SKIP neither Landlock nor mounts"
	fi
	check "$name: no core dumps" grep -qE '^Max core file size +0 +0 ' "/proc/$(pid_of "$name")/limits"
	check "$name: no_new_privs" env_has "$name" '^no_new_privs=1$'
}

mkdir -m 777 "$T/elsewhere" && chmod 755 "$T"
touch "$T/elsewhere/file" && chmod 666 "$T/elsewhere/file"
build_fake || exit 1

# ---- the unit
exposure() { systemd-analyze security --offline=yes packaging/systemd/kruised.service | sed -n 's/^→ Overall exposure level[^:]*: \([0-9.]*\).*/\1/p'; }
if systemd-analyze security --offline=yes packaging/systemd/kruised.service >/dev/null 2>&1; then
	check "the unit's exposure is 2.0 or better ($(exposure))" awk "BEGIN { exit !($(exposure) <= 2.0) }"
else
	ok "the unit's exposure # SKIP no systemd-analyze here"
fi

# ---- as started
start plain --enable-leader-election=false
check "children become ready" within 10 all_ready watcher cloneset webhookd-0
check "kruisectl status shows what is in force" in_force cloneset no_new_privs
attack cloneset
view cloneset
[ "$(id -u)" -ne 0 ] || check "no capabilities, though started as root" \
	grep -q '^CapEff:.0000000000000000$' "/proc/$(pid_of watcher)/status"
finish

# ---- without
start off --enable-leader-election=false --sandbox=off
check "--sandbox=off: children become ready" within 10 all_ready watcher cloneset webhookd-0
check "and the status says what is missing" grep -q 'not in force:.*seccomp (--sandbox=off)' <<<"$(status)"
check "a wrong value is refused" grep -q 'sandbox=maybe: must be auto or off' <<<"$("$kruised" --sandbox=maybe 2>&1)"
finish

if [ "$(id -u)" -eq 0 ] && id nobody >/dev/null 2>&1; then
	# ---- another user
	mkdir -p "$T/user/fake" && chmod 755 "$T" "$T/user" "$L" && chmod 755 "$L"/* && chmod 777 "$T/user/fake"
	echo 'apiVersion: v1' >"$T/secret" && chmod 600 "$T/secret"
	start user --enable-leader-election=false --user nobody --kubeconfig "$T/secret"
	check "--user: children become ready" within 10 all_ready watcher cloneset webhookd-0
	check "--user is in force" in_force cloneset user
	check "other groups are gone" grep -qE '^Groups:\s*$' "/proc/$(pid_of cloneset)/status"
	check "children get a copy of a kubeconfig that only root may read" env_has cloneset "^argv\[[0-9]+\]=--kubeconfig=$D/kubeconfig\$"
	check "for them alone" test "$(stat -c '%a %U' "$D/kubeconfig")" = "400 nobody"
	attack cloneset
	view cloneset
	if in_force cloneset "private /tmp"; then
		touch "/tmp/kruised-test.$$"
		check "cloneset: /tmp is its own" test ! -e "/proc/$(pid_of cloneset)/root/tmp/kruised-test.$$"
		rm -f "/tmp/kruised-test.$$"
	fi
	finish

	# ---- an ordinary user, where only the kernel's unprivileged means are left
	mkdir -p "$T/ordinary/fake" && chown -R nobody "$T/ordinary"
	prefix=(setpriv --reuid nobody --regid nogroup --clear-groups env)
	start ordinary --enable-leader-election=false
	prefix=(env)
	check "an ordinary user: children become ready" within 10 all_ready watcher cloneset webhookd-0
	check "what root would have had is named" grep -q 'not in force: read-only view (Operation not permitted)' <<<"$(status)"
	attack cloneset
	view cloneset
	finish
else
	ok "users # SKIP needs root"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
