-- How long the jobs took that ended by themselves or by their limit since $2,
-- in all their runs; at most the last $3, the last first. A mixed gang counts as the type it had most of.
select r.user_name, r.account, r.name,
       coalesce((select s.gpu_type from fairbridge.run_segments s
                  where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts
                  group by s.gpu_type order by sum(s.gpus * s.part) desc, s.gpu_type limit 1), '') as gpu_type,
       r.gpus, coalesce(extract(epoch from r.time_limit), 0)::double precision as limit_s,
       coalesce(x.started, r.started) as started, r.ended,
       extract(epoch from r.ended - r.started)::double precision + coalesce(x.ran, 0) as ran
  from fairbridge.job_runs r
  left join lateral (
       select min(x.started) as started, sum(extract(epoch from x.ended - x.started))::double precision as ran
         from fairbridge.job_runs x
        where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive
          and (x.submit, x.restarts) < (r.submit, r.restarts) and x.ended > x.started) x on r.restarts > 0
 where r.cluster = $1 and r.closed and r.ended >= $2 and r.started is not null and r.ended > r.started and r.gpus > 0
   and r.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE')
 order by r.ended desc, r.job desc limit $3
