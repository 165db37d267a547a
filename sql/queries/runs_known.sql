-- What is known of the listed jobs ($2), and of all runs that are not closed.
select job, submit, restarts, arrive, sluid, user_name, started, closed, authority, digest
  from fairbridge.job_runs where cluster = $1 and not closed
union all
select job, submit, restarts, arrive, sluid, user_name, started, closed, authority, digest
  from fairbridge.job_runs where cluster = $1 and closed and job = any ($2::bigint[])
order by job, submit, restarts
