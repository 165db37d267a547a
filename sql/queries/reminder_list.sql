-- Who was told since $2, the newest first.
select m.id, m.at, m.user_name, m.state, m.sent_by, m.error, coalesce(sum(r.gpus), 0)::bigint, coalesce(array_agg(r.job order by r.job) filter (where r.job is not null), '{}')
  from fairbridge.idle_messages m left join fairbridge.idle_reminders r on r.message = m.id
 where m.cluster = $1 and m.at >= $2 group by m.id order by m.id desc limit $3
