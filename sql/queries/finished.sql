-- The last $2 jobs that finished for good, oldest first: devices, run time of
-- all runs, service.
select gpus, ran, service from (
    select r.gpus, r.ended, r.job,
           (select coalesce(sum(extract(epoch from x.ended - x.started)), 0)::double precision from fairbridge.job_runs x
             where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and x.ended > x.started) as ran,
           (select coalesce(sum(s.gpus * s.part / 100.0 * extract(epoch from s.stopped - s.started)), 0)::double precision
              from fairbridge.job_runs x join fairbridge.run_segments s using (cluster, job, submit, restarts)
             where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and s.stopped is not null) as service
      from fairbridge.job_runs r
     where r.cluster = $1 and r.closed and r.ended is not null and r.started is not null and r.gpus > 0
       and r.state in ('COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE')
     order by r.ended desc, r.job desc limit $2
) last order by ended, job
