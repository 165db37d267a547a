-- What classes of jobs of the cluster ($1) reported since $2, each job once, those of the newest first, at most $3 rows.
select user_name, class, gpu_type, gpus, nodes, batch, count(*), avg(mean), case when avg(mean) > 0 then coalesce(stddev_samp(mean), 0) / avg(mean) else 0 end
  from fairbridge.job_speeds where cluster = $1 and last_seen > $2
 group by user_name, class, gpu_type, gpus, nodes, batch order by max(last_seen) desc limit $3
