-- All GPUs of jobs that hold one that was idle for ten minutes at $2, and of the jobs of $3. A sick GPU may idle for that, and a job that reported progress works: such readings are doubted.
with all_gpus as materialized (select * from fairbridge_v1.idle_gpus($1, $2))
select i.job, i.restarts, i.node, i.uuid, i.gpu_type, i.user_name, i.idle_since, i.idle_until,
       case when exists (select from fairbridge.gpus g join fairbridge.gpu_readings s on s.gpu = g.id where g.cluster = $1 and g.node = i.node and g.uuid = i.uuid and s.sick and s.at > $2::timestamptz - interval '30 minutes' and s.at <= $2) then 'the GPU was sick'
            when exists (select from fairbridge.job_speeds p where p.cluster = $1 and p.job = i.job and p.last_seen > $2 - interval '10 minutes') then 'the job reported progress'
            else '' end
  from all_gpus i
 where i.job = any($3::bigint[]) or i.job in (select x.job from all_gpus x where x.idle_until - x.idle_since >= interval '10 minutes')
 order by i.job, i.node, i.uuid, i.gpu_type
