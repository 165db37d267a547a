-- Runs stopped before they were done, and GPU-hours lost
-- By who took the GPUs. Lost is all those runs held: an upper bound, what was checkpointed is not lost.
select s.account, sum(s.by_fairbridge)::bigint as by_fairbridge, sum(s.by_slurm)::bigint as by_slurm, sum(s.by_node)::bigint as by_node, sum(s.by_other)::bigint as by_other,
       sum(s.lost_to_fairbridge_gpu_hours) as lost_to_fairbridge_gpu_hours, sum(s.lost_gpu_hours) as lost_gpu_hours
  from fairbridge_v1.stops_by_user_day s
 where s.cluster = $1 and s.day >= ($2::timestamptz at time zone 'UTC')::date and s.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or s.account = $4) and ($5::text = '' or s.user_name = $5)
 group by s.account order by lost_gpu_hours desc, s.account
