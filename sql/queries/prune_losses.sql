-- Forget losses of jobs that last reported one before $2, some at a time.
delete from fairbridge.job_losses where (cluster, job, user_name, step) in (
    select l.cluster, l.job, l.user_name, l.step from fairbridge.job_losses l
     where l.cluster = $1 and l.at < $2
       and not exists (select from fairbridge.job_losses n where n.cluster = $1 and n.job = l.job and n.user_name = l.user_name and n.at >= $2) limit 10000)
