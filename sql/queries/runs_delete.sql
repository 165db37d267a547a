-- Forget runs that never were, with what they held.
with k as (
    select * from unnest($2::bigint[], $3::bigint[], $4::int[]) as k (job, submit, restarts)
), held as (
    delete from fairbridge.run_segments s using k
     where s.cluster = $1 and s.job = k.job and s.submit = k.submit and s.restarts = k.restarts
)
delete from fairbridge.job_runs r using k where r.cluster = $1 and r.job = k.job and r.submit = k.submit and r.restarts = k.restarts
