-- The jobs of a user ($2) that ended by themselves or by their limit since $3, the last $4, oldest first: what they had and how long they ran in all.
select name, account, gpus, limit_s, ran, ended from (
    select r.name, r.account, r.gpus, coalesce(extract(epoch from r.time_limit), 0)::double precision as limit_s, r.ended, r.job,
           (select sum(extract(epoch from x.ended - x.started))::double precision from fairbridge.job_runs x
             where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and (x.submit, x.restarts) <= (r.submit, r.restarts) and x.ended > x.started) as ran
      from fairbridge.job_runs r
     where r.cluster = $1 and r.user_name = $2 and r.closed and r.ended >= $3 and r.ended > r.started and r.gpus > 0
       and r.state in ('COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE')
     order by r.ended desc, r.job desc limit $4
) last order by ended, job
