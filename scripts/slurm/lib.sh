# Sourced by the other scripts of this directory.
#
# A throw-away Slurm lives in one directory DIR:
#   etc/     what its processes see as /etc: a copy of the root directory's, with our users and configuration
#   run/     what they see as /run (slurmrestd's socket is run/slurmrestd/rest.sock)
#   var/     what they see as /var/lib/slurm: state, spool, database, logs, homes
#   settings shell variables: ports, API version, sizes, root directory
#   pid      the host's pid and start time of the first process of its PID namespace
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ME=$(basename "$0")
VAR=/var/lib/slurm # where var/ is seen inside
USERS="alice:research bob:teaching carol:vision fairbridge:root rest:root"

die() { echo "$ME: $*" >&2; exit 1; }

# as_root ARGS...: goes on as root, by sudo when it asks no password.
as_root() {
	[ "$(id -u)" = 0 ] && return
	command -v sudo >/dev/null && sudo -n true 2>/dev/null || die "needs root, or sudo that asks no password"
	exec sudo -n env AS="${AS:-}" DEBIAN_FRONTEND=noninteractive \
		FAIRBRIDGE_SLURM_PORT_BASE="${FAIRBRIDGE_SLURM_PORT_BASE:-}" \
		FAIRBRIDGE_SLURM_CONF="${FAIRBRIDGE_SLURM_CONF:-}" \
		FAIRBRIDGE_SLURM_ROOT="${FAIRBRIDGE_SLURM_ROOT:-}" \
		FAIRBRIDGE_SLURM_TYPES="${FAIRBRIDGE_SLURM_TYPES:-}" \
		FAIRBRIDGE_SLURM_SHARDS="${FAIRBRIDGE_SLURM_SHARDS:-}" \
		FAIRBRIDGE_SLURM_SPEED="${FAIRBRIDGE_SLURM_SPEED:-}" FAIRBRIDGE_SLURM_EMULATOR="${FAIRBRIDGE_SLURM_EMULATOR:-}" "$HERE/$ME" "$@"
}

# open_dir DIR: sets DIR and the variables of a directory made by up.
open_dir() {
	[ -n "${1:-}" ] || die "which directory? (see the first lines of $HERE/$ME)"
	[ -e "$1/.fairbridge-slurm" ] || die "$1 holds no throw-away Slurm"
	DIR=$(cd "$1" && pwd -P)
	[ ! -s "$DIR/settings" ] || . "$DIR/settings"
}

# wipe: removes DIR, and the empty place where it was seen in another release's root directory.
wipe() {
	rm -rf --one-file-system "$DIR"
	[ -z "${ROOT:-}" ] || rmdir "$ROOT$DIR/.scripts/slurm" "$ROOT$DIR/.scripts" "$ROOT$DIR" 2>/dev/null || true
}

# born PID: its start time, in ticks since boot; tells it from a later process of the same number.
born() {
	local s
	s=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	set -- ${s##*) }
	echo "${20}"
}

# alive: sets PID when the Slurm of DIR is up.
alive() {
	local b
	[ -s "$DIR/pid" ] && read -r PID b <"$DIR/pid" && [ "$(born "$PID")" = "$b" ]
}

# inside COMMAND...: runs it in the namespaces, as root. ENTER is the command that does.
enter() {
	ENTER=(nsenter -t "$PID" -m -p -u -i -r -w -- env -u SLURM_JWT PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8)
	[ ! -s "$DIR/clock" ] || mapfile -t -O ${#ENTER[@]} ENTER <"$DIR/clock" # the same time as the daemons'
}
inside() { enter; "${ENTER[@]}" "$@"; }
