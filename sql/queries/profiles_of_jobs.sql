-- What was measured of jobs of the cluster ($1) on their GPUs since $2, at most $3 rows, the newest.
select job, user_name, class, mem_mb, looks, busy, mem_busy, first_seen, last_seen
  from fairbridge.job_profiles where cluster = $1 and last_seen > $2 order by last_seen desc limit $3
