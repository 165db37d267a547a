-- Every intent that is not closed, or was closed after $2.
select id, cluster, epoch, coalesce(seq, 0), policy, job, submit, restarts, sluid, kind, value, until, nodes, array_task, tasks, why, text,
       before, state, not_after, made, sent, closed, error, polls
  from fairbridge.intents where cluster = $1 and closed is null
union all
select id, cluster, epoch, coalesce(seq, 0), policy, job, submit, restarts, sluid, kind, value, until, nodes, array_task, tasks, why, text,
       before, state, not_after, made, sent, closed, error, polls
  from fairbridge.intents where cluster = $1 and closed > $2
order by id
