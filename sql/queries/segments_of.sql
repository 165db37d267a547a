-- The segments of some runs, given as parallel arrays.
select s.job, s.submit, s.restarts, s.node, s.gpu_type, s.gpus, s.part, s.started, s.stopped
  from unnest($2::bigint[], $3::bigint[], $4::int[]) as k (job, submit, restarts)
  join fairbridge.run_segments s on s.cluster = $1 and s.job = k.job and s.submit = k.submit and s.restarts = k.restarts
 order by s.job, s.submit, s.restarts, s.started, s.node, s.gpu_type
