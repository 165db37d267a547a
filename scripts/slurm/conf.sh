# Sourced by up: writes the private /etc of the throw-away Slurm in $DIR.

# private_etc: copies /etc, so that the daemons' view of it is whole and does not change when the host's does. It is
# mounted as a directory: a file mounted over a file comes loose when the host renames a new one over it.
private_etc() {
	local part=$E.part again
	for again in 1 2 ""; do # a file that useradd or a package just takes away is no reason to give up
		rm -rf "$part" && mkdir "$part"
		cp -a "${ROOT:-}/etc/." "$part/" && break
		[ -n "$again" ] || die "could not copy ${ROOT:-}/etc to $part"
	done
	rm -rf "$part"/{slurm,munge,shadow*,gshadow*,sudoers*,ssh} # nothing secret is needed
	mkdir -p "$part/slurm" "$part/munge" && chmod 700 "$part/munge"
	mv "$part" "$E"
}

# write_users: system users of the root directory, the daemons' own, and the people of the demonstration.
write_users() {
	awk -F: '$3 < 1000 || $1 == "slurm" || $1 == "munge" || $1 == "nobody"' "${ROOT:-}/etc/passwd" >"$E/passwd"
	awk -F: '$3 < 1000 || $1 == "slurm" || $1 == "munge" || $1 == "nogroup"' "${ROOT:-}/etc/group" >"$E/group"
	local id=3001 u
	for u in mysql munge slurm $(printf '%s\n' $USERS | cut -d: -f1); do
		grep -q "^$u:" "$E/passwd" && continue
		while getent passwd $id || getent group $id; do id=$((id + 1)); done >/dev/null
		echo "$u:x:$id:$id::$VAR/home/$u:/bin/bash" >>"$E/passwd"
		grep -q "^$u:" "$E/group" || echo "$u:x:$id:" >>"$E/group"
		id=$((id + 1))
	done
	printf 'passwd: files\ngroup: files\nhosts: files\n' >"$E/nsswitch.conf"
	printf '127.0.0.1 localhost fairbridge-lab\n' >"$E/hosts"
}

write_keys() {
	(umask 077; head -c 32 /dev/urandom >"$E/slurm/jwt.key"; head -c 128 /dev/urandom >"$E/munge/munge.key")
}

# type_of I: the type of the GPUs of node I; the nodes have the types in turn.
type_of() {
	local all=($TYPES)
	echo "${all[$((($1 - 1) % ${#all[@]}))]}"
}

# shards_of I: of how many shards each GPU of node I consists, in turn as the types; 0: it offers none.
shards_of() {
	local all=(${SHARDS:-0})
	echo "${all[$((($1 - 1) % ${#all[@]}))]}"
}

# gres_of I: the generic resources of node I as slurm.conf names them.
gres_of() {
	local shards=$(($(shards_of "$1") * GPUS))
	echo "gpu:$(type_of "$1"):$GPUS$([ $shards = 0 ] || echo ",shard:$shards")"
}

# write_gres: gres.conf. Slurm spreads the shards of a node over its GPUs.
write_gres() {
	local i shards
	for i in $(seq "$NODES"); do
		echo "NodeName=n$i Name=gpu Type=$(type_of "$i") File=$VAR/dev/nvidia[0-$((GPUS - 1))]"
		shards=$(($(shards_of "$i") * GPUS))
		[ $shards = 0 ] || echo "NodeName=n$i Name=shard Count=$shards"
	done >"$E/slurm/gres.conf"
}

# write_slurm: slurm.conf and its companions. Intervals and the requeue delay are short, for demonstrations and tests.
write_slurm() {
	local i sched=sched_interval=5,sched_min_interval=100000,bf_interval=5,batch_sched_delay=1,enable_user_top
	[ "$SERIES" -lt 2511 ] || sched+=,requeue_delay=3
	cat >"$E/slurm/slurm.conf" <<C
ClusterName=lab
SlurmctldHost=fairbridge-lab(127.0.0.1)
SlurmctldPort=$CTLD
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=slurm
AuthType=auth/munge
AuthInfo=cred_expire=6
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=/etc/slurm/jwt.key
StateSaveLocation=$VAR/state
SlurmdSpoolDir=$VAR/spool/%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd-%n.pid
SlurmctldLogFile=$VAR/log/slurmctld.log
SlurmdLogFile=$VAR/log/slurmd-%n.log
SlurmctldParameters=enable_configless
SlurmdParameters=config_overrides
ReturnToService=2
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu${SHARDS:+,shard}
SchedulerParameters=$sched
PriorityType=priority/multifactor
PriorityCalcPeriod=1
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightQOS=2000
PriorityWeightPartition=1000
PreemptType=preempt/qos
PreemptMode=REQUEUE
JobRequeue=1
KillWait=15
MessageTimeout=30
MinJobAge=300
MaxJobCount=50000
MaxArraySize=20001
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$DBD
AccountingStorageTRES=gres/gpu$(printf ',gres/gpu:%s' $TYPES)
AccountingStorageEnforce=associations
NodeName=DEFAULT Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000
$(for i in $(seq "$NODES"); do echo "NodeName=n$i NodeHostname=fairbridge-lab NodeAddr=127.0.0.1 Port=$((NODE0 + i)) Gres=$(gres_of "$i") Feature=$(type_of "$i"),ib"; done)
PartitionName=gpu Nodes=ALL Default=YES MaxTime=7-0 DefMemPerCPU=1000 State=UP
PartitionName=low Nodes=ALL MaxTime=7-0 DefMemPerCPU=1000 PriorityTier=1 State=UP
PartitionName=debug Nodes=n1 MaxTime=30 DefMemPerCPU=1000 PriorityTier=10 State=UP
${FAIRBRIDGE_SLURM_CONF:-}
C
	write_gres
	if [ "$SERIES" -ge 2405 ]; then # jobs need no cgroups here, and the host's stay untouched
		echo "CgroupPlugin=disabled" >"$E/slurm/cgroup.conf"
	else
		printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/run/cgroup\n' >"$E/slurm/cgroup.conf"
	fi
	(umask 077; cat >"$E/slurm/slurmdbd.conf") <<C
AuthType=auth/munge
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=/etc/slurm/jwt.key
DbdHost=fairbridge-lab
DbdAddr=127.0.0.1
DbdPort=$DBD
SlurmUser=slurm
LogFile=$VAR/log/slurmdbd.log
PidFile=/run/slurm/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
C
}

# write_accounts: who belongs to which account, in the language of "sacctmgr load".
write_accounts() {
	local q="QOS='low,normal,high'" a u
	{
		echo "Cluster - 'lab':$q"
		for a in root research:2 teaching:1 vision:1; do
			[ $a = root ] || printf "Parent - 'root'\nAccount - '%s':Fairshare=%s\n" ${a/:/ }
			echo "Parent - '${a%:*}'"
			for u in $USERS; do
				[ "${u#*:}" != "${a%:*}" ] || echo "User - '${u%:*}':DefaultAccount='${a%:*}'$([ $a != root ] || echo ":AdminLevel='Operator'")"
			done
		done
	} >"$E/slurm/accounts"
}
