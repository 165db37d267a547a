-- How many GPU jobs of a partition ($2) that arrived between $3 and $4 never ran: they wait
-- still, or ended before they started.
select count(*) filter (where not closed), count(*) filter (where closed)
  from fairbridge.job_runs r
 where cluster = $1 and $2 = any (string_to_array(partition, ',')) and gpus > 0 and arrive >= $3 and arrive < $4 and started is null
   and not exists (select from fairbridge.job_runs x
                    where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and x.started is not null)
