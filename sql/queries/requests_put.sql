-- A count of requests that a job reported; one that is known counts once. What is older than $6 is forgotten.
with old as (delete from fairbridge.job_requests where cluster = $1 and at < $6)
insert into fairbridge.job_requests (cluster, job, user_name, at, count) values ($1, $2, $3, $4, $5)
on conflict (cluster, job, user_name, at) do nothing
