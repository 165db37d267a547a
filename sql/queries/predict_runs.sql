-- How long the jobs took that ended by themselves or by their limit since $2,
-- in all their runs; at most the last $3.
select user_name, account, name, gpu_type, gpus, limit_s, started, ended, ran from (
    select r.job, r.user_name, r.account, r.name, r.gpus, r.ended,
           coalesce(extract(epoch from r.time_limit), 0)::double precision as limit_s,
           case when r.restarts = 0 then r.started else coalesce(x.started, r.started) end as started,
           extract(epoch from r.ended - r.started)::double precision + coalesce(x.ran, 0) as ran,
           coalesce((select s.gpu_type from fairbridge.run_segments s
                      where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts limit 1), '') as gpu_type
      from fairbridge.job_runs r
      left join lateral (
           select min(x.started) as started, sum(extract(epoch from x.ended - x.started))::double precision as ran
             from fairbridge.job_runs x
            where r.restarts > 0 and x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive
              and (x.submit, x.restarts) < (r.submit, r.restarts) and x.ended > x.started) x on true
     where r.cluster = $1 and r.closed and r.ended >= $2 and r.started is not null and r.ended > r.started and r.gpus > 0
       and r.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE')
     order by r.ended desc, r.job desc limit $3
) last order by ended, job
