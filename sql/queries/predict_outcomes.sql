-- Notes how the predicted runs ended that are over.
update fairbridge.predictions p
   set outcome = r.state,
       actual_s = case when r.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY', 'DEADLINE') and r.ended >= r.started
                       then extract(epoch from r.ended - r.started)::double precision end
  from fairbridge.job_runs r
 where p.cluster = $1 and p.outcome is null
   and r.cluster = p.cluster and r.job = p.job and r.submit = p.submit and r.restarts = p.restarts and r.closed
