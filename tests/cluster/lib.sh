# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts of this folder share. A cluster is a folder: $CLUSTER_BASE/NAME (or a link there to the
# folder given with --dir) with `run/` (pid files), `log/`, `pki/` and `env`.

# shellcheck disable=SC2034
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
cache=${KRUISED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kruised}
if [ -d /dev/shm ] && [ -w /dev/shm ]; then base=/dev/shm/kruised-cluster; else base=${TMPDIR:-/tmp}/kruised-cluster; fi
CLUSTER_BASE=${CLUSTER_BASE:-$base}

say() { echo "cluster: $*" >&2; }
die() { say "$*" && exit 1; }

# wait_for SECONDS WHAT COMMAND… : until the command succeeds
wait_for() {
	local deadline=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $deadline ] || { say "gave up waiting for $what" && return 1; }
		sleep 0.05
	done
}

# find_cluster NAME DIR: sets $name and $dir from what --name and --dir said; either may be empty
find_cluster() {
	name=${1:-} dir=${2:-}
	if [ -n "$dir" ]; then
		dir=$(realpath -m -- "$dir")
		name=${name:-$(basename "$dir")}
	fi
	name=${name:-default}
	[[ $name =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$ ]] || die "'$name' is no name for a cluster"
	[ -n "$dir" ] || dir=$(realpath -m -- "$CLUSTER_BASE/$name")
}

# A port that nothing listens on now and that no other cluster has been given. It is below the ephemeral ports,
# so that no outgoing connection takes it. The claim is a folder under .ports; `down` gives it back.
free_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		! ss -Hltn "sport = :$port" | grep -q . || continue
		if [ -n "${dir:-}" ] && [ -d "$dir/run" ]; then
			mkdir -p "$CLUSTER_BASE/.ports"
			mkdir "$CLUSTER_BASE/.ports/$port" 2>/dev/null || continue
			echo "$port" >>"$dir/run/ports"
		fi
		echo "$port"
		return
	done
}

release_ports() {
	local port
	[ -e "$dir/run/ports" ] || return 0
	while read -r port; do rmdir "$CLUSTER_BASE/.ports/$port" 2>/dev/null; done <"$dir/run/ports"
	rmdir "$CLUSTER_BASE/.ports" 2>/dev/null
	return 0
}

# start_time PID: the kernel's start tick of a process, which tells it from a later one of the same number
start_time() { cut -d ')' -f 2- "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 21; }

# Becomes a daemon's first moments: no file of the caller stays open (a lock, a pipe someone reads to its end),
# and the pid file, with the start tick, is there in one piece before the program runs.
# shellcheck disable=SC2016
detached='
	for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
	read -r stat <"/proc/$$/stat"
	set -- "$1" "$(set -- ${stat##*) }; echo "${20}")" "${@:2}"
	echo "$$ $2" >"$1.new" && mv "$1.new" "$1"
	cd / && shift 2 && exec "$@"'

# start NAME COMMAND… : in the background, in a session of its own, with a log and a pid file. The variable
# marks the process, and what it starts, as this cluster's.
start() {
	local name=$1
	shift
	rm -f "$dir/run/$name.pid"
	KRUISED_CLUSTER_PROCESS=$dir setsid --fork bash -c "$detached" "$name" "$dir/run/$name.pid" "$@" \
		</dev/null >>"$dir/log/$name.log" 2>&1
	wait_for 10 "$name's pid" test -s "$dir/run/$name.pid"
}

# alive NAME: the process that start() began, and no other; a zombie is dead
alive() {
	local pid tick
	read -r pid tick 2>/dev/null <"$dir/run/$1.pid" || return 1
	[ -n "$tick" ] && [ "$(start_time "$pid")" = "$tick" ] && ! grep -qs '^State:.Z' "/proc/$pid/status"
}
not_alive() { ! alive "$1"; }

# stop NAME [SIGNAL [SECONDS]]: asks, waits, and then kills
stop() {
	local name=$1 pid
	[ -e "$dir/run/$name.pid" ] || return 0
	if alive "$name"; then
		read -r pid _ <"$dir/run/$name.pid"
		kill -"${2:-TERM}" "$pid" 2>/dev/null || true
		wait_for "${3:-10}" "$name to stop" not_alive "$name" || kill -KILL "$pid" 2>/dev/null || true
		wait_for 5 "$name to die" not_alive "$name" || true
	fi
	rm -f "$dir/run/$name.pid"
}

# must_serve NAME SECONDS COMMAND… : the component answers, or its log's end is shown and the start fails
must_serve() {
	local name=$1 deadline=$((SECONDS + $2))
	shift 2
	until "$@" >/dev/null 2>&1; do
		if [ $SECONDS -ge $deadline ] || ! alive "$name"; then
			say "$name failed to start; the end of its log:"
			tail -n 20 "$dir/log/$name.log" >&2
			return 1
		fi
		sleep 0.05
	done
}

# minor_version PROGRAM: the 20 of v1.20.2; that also when it does not say
minor_version() {
	local minor
	minor=$("$1" --version 2>/dev/null | sed -nE '1s/.*v1\.([0-9]+).*/\1/p') || true
	echo "${minor:-20}"
}
