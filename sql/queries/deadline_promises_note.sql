-- Note the deadlines ($5; null: none) of jobs ($3) that arrived at $4 and run at $2, where they are not what was promised and the promise was not due yet.
update fairbridge.deadline_promises p set last_deadline = l.deadline
  from unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) as l(job, arrive, deadline)
 where p.cluster = $1 and p.job = l.job and p.arrive = l.arrive and p.deadline > $2 and p.last_deadline is distinct from l.deadline
