-- What was done about a job since it arrived, newest first.
select id, cluster, epoch, coalesce(seq, 0), policy, job, submit, restarts, sluid, kind, value, until, nodes, array_task, tasks, why, text,
       before, state, not_after, made, sent, closed, error, polls
  from fairbridge.intents where cluster = $1 and job = $2 and made >= $3 order by id desc limit $4
