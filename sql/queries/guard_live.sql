-- Since when a partition ($2) is as it was in its last cycle, looking back to $3.
with last as (select mode, policy, params, at from fairbridge.cycles where cluster = $1 and partition = $2 order by seq desc limit 1),
     other as (select max(c.at) as at from fairbridge.cycles c, last l
                where c.cluster = $1 and c.partition = $2 and c.at >= $3 and (c.mode, c.policy, c.params) is distinct from (l.mode, l.policy, l.params))
select l.mode, l.policy, l.params, l.at,
       (select min(c.at) from fairbridge.cycles c where c.cluster = $1 and c.partition = $2 and c.at >= $3 and (o.at is null or c.at > o.at))
  from last l, other o where l.at >= $3
