-- What jobs of the cluster ($1) reported of their requests since $2, at most $3 rows, the newest, by time.
select job, user_name, at, count from (
    select job, user_name, at, count from fairbridge.job_requests where cluster = $1 and at > $2 order by at desc limit $3) newest
 order by at
