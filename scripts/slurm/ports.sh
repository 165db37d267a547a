# Sourced by up: ports of which no other throw-away Slurm thinks that they are free.
PORT_LOCKS=${PORT_LOCKS:-/run/fairbridge-slurm-ports} # a file for each block of 16 ports, locked while a Slurm has it
PORT_FIRST=${PORT_FIRST:-15000} PORT_BLOCKS=${PORT_BLOCKS:-1062} # below the range from which the kernel hands out its own

# ports_in_use: the ports of this machine that something listens on or is connected by.
ports_in_use() {
	awk 'FNR > 1 { split($2, a, ":"); print a[2] }' /proc/net/tcp /proc/net/tcp6 2>/dev/null | sort -u |
		while read -r h; do echo $((16#$h)); done
}

# reserve_ports COUNT: sets PORT_BASE to the first of COUNT free ports in a row. They stay reserved as long as this
# process lives or one that inherits its open files: many start side by side, and none listens yet when another chooses.
reserve_ports() {
	local used i p start=$((RANDOM % PORT_BLOCKS)) blocks=$((($1 + 15) / 16))
	mkdir -p -m 700 "$PORT_LOCKS"
	used=" $(ports_in_use | tr '\n' ' ') "
	for i in $(seq 0 $((PORT_BLOCKS - 1))); do
		i=$(((start + i) % PORT_BLOCKS))
		PORT_BASE=$((PORT_FIRST + 16 * i))
		[ $((i + blocks)) -le "$PORT_BLOCKS" ] || continue
		for p in $(seq $PORT_BASE $((PORT_BASE + $1 - 1))); do
			case $used in *" $p "*) continue 2 ;; esac
		done
		! lock_blocks $PORT_BASE "$blocks" || return 0
	done
	die "found no $1 free ports in a row"
}

# lock_blocks PORT COUNT: locks the blocks of ports from PORT on, all or none.
lock_blocks() {
	local fd taken=() i
	for i in $(seq 0 $(($2 - 1))); do
		exec {fd}>"$PORT_LOCKS/$(($1 + 16 * i))"
		taken+=("$fd")
		flock -n "$fd" && continue
		for fd in "${taken[@]}"; do exec {fd}>&-; done
		return 1
	done
}
