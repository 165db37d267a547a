-- Runs that started since $2 and have no prediction yet, but for those on a number of GPUs that we had set: how long
-- they take says little of what is predicted of a job on what it asks. A mixed gang counts as the type it has most of.
select r.job, r.submit, r.restarts, r.user_name, r.account, r.name, r.gpus,
       coalesce(extract(epoch from r.time_limit), 0)::double precision as limit_s, r.started,
       case when r.restarts = 0 then 0 else coalesce((
            select sum(extract(epoch from x.ended - x.started)) from fairbridge.job_runs x
             where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive
               and (x.submit, x.restarts) < (r.submit, r.restarts) and x.ended > x.started), 0) end::double precision as ran,
       coalesce((select s.gpu_type from fairbridge.run_segments s
                  where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts
                  group by s.gpu_type order by sum(s.gpus * s.part) desc, s.gpu_type limit 1), '') as gpu_type
  from (select * from fairbridge.job_runs where cluster = $1 and not closed and started >= $2
         union all
        select * from fairbridge.job_runs where cluster = $1 and closed and ended >= $2 and started >= $2) r
 where r.gpus > 0
   and not exists (select from fairbridge.intents i
                    where i.cluster = $1 and i.job = r.job and i.kind = 'gpus' and i.sent is not null and i.made >= r.arrive
                      and i.value = r.gpus and (i.before->>'gpus')::int not in (0, r.gpus))
   and not exists (select from fairbridge.predictions p
                    where p.cluster = $1 and p.job = r.job and p.submit = r.submit and p.restarts = r.restarts)
 order by r.job, r.submit, r.restarts
