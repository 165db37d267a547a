-- Note what the deadlines of jobs are now, by column, at $2 (null: none), of those that were told of one which has not passed.
update fairbridge.deadline_promises p set last_deadline = l.deadline
  from unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) as l(job, arrive, deadline)
 where p.cluster = $1 and p.job = l.job and p.arrive = l.arrive and p.deadline > $2 and p.last_deadline is distinct from l.deadline
