-- How long the jobs took that ended by themselves or by their limit since $2,
-- in all their runs; at most the last $3, the last first. A mixed gang counts as the type it had most of. Of jobs of which
-- the last run was on a number of GPUs that we had set, gpus is what the owner had asked for; the last two columns have all
-- runs on such numbers. One that the limit ended there is left out, since it says nothing of what the job would have taken.
select r.user_name, r.account, r.name,
       coalesce((select s.gpu_type from fairbridge.run_segments s
                  where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts
                  group by s.gpu_type order by sum(s.gpus * s.part) desc, s.gpu_type limit 1), '') as gpu_type,
       case when r.gpus = any (z.given) then z.asked else r.gpus end, coalesce(extract(epoch from r.time_limit), 0)::double precision as limit_s,
       coalesce(x.started, r.started) as started, r.ended,
       extract(epoch from r.ended - r.started)::double precision + coalesce(x.ran, 0) as ran,
       coalesce(y.gpus, '{}'), coalesce(y.ran, '{}')
  from fairbridge.job_runs r
  left join lateral (
       select max(i.job) as job, (array_agg((i.before->>'gpus')::int order by i.id desc))[1] as asked, array_agg(distinct i.value) as given
         from fairbridge.intents i
        where i.cluster = r.cluster and i.job = r.job and i.kind = 'gpus' and i.sent is not null and i.made between r.arrive and r.ended
          and (i.before->>'gpus')::bigint not in (0, i.value)) z on true
  left join lateral (
       select min(x.started) as started, sum(extract(epoch from x.ended - x.started))::double precision as ran
         from fairbridge.job_runs x
        where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive
          and (x.submit, x.restarts) < (r.submit, r.restarts) and x.ended > x.started) x on r.restarts > 0
  left join lateral (
       select array_agg(y.gpus) as gpus, array_agg(extract(epoch from y.ended - y.started)::double precision) as ran
         from fairbridge.job_runs y
        where y.cluster = r.cluster and y.job = r.job and y.arrive = r.arrive
          and (y.submit, y.restarts) <= (r.submit, r.restarts) and y.ended > y.started and y.gpus = any (z.given) and y.gpus <> z.asked) y on z.job is not null
 where r.cluster = $1 and r.closed and r.ended >= $2 and r.started is not null and r.ended > r.started and r.gpus > 0
   and r.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE')
   and (r.state <> 'TIMEOUT' or z.job is null or r.gpus = z.asked or r.gpus <> all (z.given))
 order by r.ended desc, r.job desc limit $3
