-- Forget looks at waiting jobs made before $2, some at a time.
delete from fairbridge.job_estimates where (cluster, job, arrive, made) in (
    select cluster, job, arrive, made from fairbridge.job_estimates where cluster = $1 and made < $2 limit 10000)
