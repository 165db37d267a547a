-- The runs of a job, oldest first, with what each got as of the last view.
select r.restarts, to_timestamp(r.submit), r.arrive, r.name, r.user_name, r.account, r.qos, r.partition, r.state, r.reason, r.gpus, r.started, r.ended, r.exact,
       coalesce((select string_agg(distinct s.node, ',' order by s.node) from fairbridge.run_segments s
                  where s.cluster = $1 and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts), ''),
       (select coalesce(sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started)), 0)::double precision
          from fairbridge.run_segments s
         where s.cluster = $1 and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts)
  from fairbridge.job_runs r join fairbridge.watch w using (cluster)
 where r.cluster = $1 and r.job = $2 and r.arrive = (select x.arrive from fairbridge.job_runs x where x.cluster = $1 and x.job = $2 order by x.submit desc, x.restarts desc limit 1)
 order by r.submit, r.restarts
