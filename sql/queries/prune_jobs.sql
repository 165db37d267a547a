-- Forget the runs of jobs all of whose runs ended before $2, some at a time, with all that is kept of single runs. Sums by day stay.
with old as materialized (
    select r.cluster, r.job, r.submit, r.restarts from fairbridge.job_runs r
     where r.cluster = $1 and r.closed and r.ended < $2
       and not exists (select from fairbridge.job_runs x where x.cluster = $1 and x.job = r.job and (not x.closed or coalesce(x.ended, x.last_change) >= $2))
       and not exists (select from fairbridge.intents i where i.cluster = $1 and i.job = r.job and i.closed is null)
     limit 1000
), segments as (delete from fairbridge.run_segments s using old o where s.cluster = o.cluster and s.job = o.job and s.submit = o.submit and s.restarts = o.restarts),
   measured as (delete from fairbridge.gpu_runs s using old o where s.cluster = o.cluster and s.job = o.job and s.submit = o.submit and s.restarts = o.restarts),
   facts as (delete from fairbridge.run_facts s using old o where s.cluster = o.cluster and s.job = o.job and s.submit = o.submit and s.restarts = o.restarts),
   predicted as (delete from fairbridge.predictions s using old o where s.cluster = o.cluster and s.job = o.job and s.submit = o.submit and s.restarts = o.restarts),
   hours as (delete from fairbridge.gpu_hours h using (select distinct cluster, job from old) o where h.cluster = o.cluster and h.job = o.job and h.hour < $2)
delete from fairbridge.job_runs r using old o where r.cluster = o.cluster and r.job = o.job and r.submit = o.submit and r.restarts = o.restarts
