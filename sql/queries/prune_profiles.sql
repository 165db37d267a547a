-- Forget what was measured of jobs last seen before $2, some at a time.
delete from fairbridge.job_profiles where (cluster, job, user_name, class) in (
    select cluster, job, user_name, class from fairbridge.job_profiles where cluster = $1 and last_seen < $2 limit 10000)
