-- What jobs of the cluster ($1) reported of their losses since $2, at most $3 rows, the newest.
select job, user_name, step, loss, total_steps, at
  from fairbridge.job_losses where cluster = $1 and at > $2 order by at desc limit $3
