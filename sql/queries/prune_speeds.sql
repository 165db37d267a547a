-- Forget speeds last reported before $2, some at a time.
delete from fairbridge.job_speeds where (cluster, job, user_name, class, gpu_type, gpus, nodes, batch) in (
    select cluster, job, user_name, class, gpu_type, gpus, nodes, batch from fairbridge.job_speeds where cluster = $1 and last_seen < $2 limit 10000)
