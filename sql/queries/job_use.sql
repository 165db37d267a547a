-- The runs of a job, oldest first, with how their GPUs were used. An earlier owner of the id is left out.
select l.restarts, to_timestamp(l.submit), l.arrive, l.started, l.ended, l.closed, l.name, l.user_name, l.account, l.partition, l.state, l.gpus,
       coalesce(l.limit_s, 0), l.elapsed_s, l.gpu_s, l.measured_s, l.busy_s, l.idle_s, l.held_s, l.mem_used, coalesce(l.stopped_by, ''), coalesce(l.contention, 0)::float8,
       coalesce((select string_agg(distinct s.node, ',' order by s.node) from fairbridge.run_segments s
                  where s.cluster = $1 and s.job = l.job and s.submit = l.submit and s.restarts = l.restarts), '')
  from fairbridge.run_live l
 where l.cluster = $1 and l.job = $2
   and l.arrive = (select x.arrive from fairbridge.job_runs x where x.cluster = $1 and x.job = $2 order by x.submit desc, x.restarts desc limit 1)
 order by l.submit, l.restarts
