-- Hours with snapshots that were not looked at, the last of those that were included.
select distinct date_trunc('hour', c.at) from fairbridge.cycles c
 where c.cluster = $1 and c.snapshot is not null
   and c.at >= coalesce((select s.seen from fairbridge.capacity_state s where s.cluster = $1), '-infinity')
 order by 1
