-- What operators did, newest first, before $2 (0: the last).
select id, kind, partition, mode, target, change, author, why, at, until, origin, effect, ended, ended_by,
       ended is null and (until is null or until > now()) as stands
  from fairbridge.operator_actions where cluster = $1 and ($2 = 0 or id < $2) order by id desc limit $3
