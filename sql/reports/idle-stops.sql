-- Jobs requeued because their GPUs did no work
-- Requeues that were sent in the time asked for, by user: GPUs that went to jobs that waited for them, and GPU-hours without work before that. Failed are requeues that Slurm refused.
select s.user_name as "user", s.account, count(*) filter (where s.state <> 'FAILED') as stops, coalesce(sum(s.gpus) filter (where s.state <> 'FAILED'), 0)::bigint as gpus,
       coalesce(sum(s.gpus * s.idle_s) filter (where s.state <> 'FAILED') / 3600, 0)::float8 as idle_gpu_hours_before, count(*) filter (where s.state = 'FAILED') as failed
  from fairbridge_v1.idle_stops s
 where s.cluster = $1 and s.sent >= $2 and s.sent < $3 and ($4::text = '' or s.account = $4) and ($5::text = '' or s.user_name = $5)
 group by s.user_name, s.account order by stops desc, idle_gpu_hours_before desc, s.user_name, s.account limit 1000
