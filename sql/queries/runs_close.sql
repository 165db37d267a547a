-- Close runs whose end Slurm did not show, at the given times. The digest is
-- forgotten, so that a run that shows up again is written again.
with k as (
    select * from unnest($3::bigint[], $4::bigint[], $5::int[], $6::timestamptz[], $7::text[]) as k (job, submit, restarts, at, state)
), segments as (
    update fairbridge.run_segments s set stopped = greatest(k.at, s.started) from k
     where s.cluster = $1 and s.job = k.job and s.submit = k.submit and s.restarts = k.restarts and s.stopped is null
)
update fairbridge.job_runs r
   set ended = coalesce(r.ended, case when r.started is not null then greatest(k.at, r.started) end), state = k.state, closed = true,
       exact = r.ended is not null, last_change = $2, digest = 0
  from k where r.cluster = $1 and r.job = k.job and r.submit = k.submit and r.restarts = k.restarts and not r.closed
