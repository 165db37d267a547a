-- What jobs of the cluster ($1) reported since $2, the newest first, at most $3 rows.
select job, user_name, class, gpu_type, gpus, nodes, batch, reports, mean, case when reports > 1 and mean > 0 then sqrt(m2 / (reports - 1)) / mean else 0 end, batch_range, first_seen
  from fairbridge.job_speeds where cluster = $1 and last_seen > $2 order by last_seen desc limit $3
