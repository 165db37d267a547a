-- Since when a partition ($2) is as it was in its last cycle, and since when it is in that mode and
-- decided by one of several ($4 with the parameters $5), looking back to $3.
with last as (select mode, policy, params, at from fairbridge.cycles where cluster = $1 and partition = $2 order by seq desc limit 1),
     several as (select policy, params from unnest($4::text[], $5::text[]) as s (policy, params)),
     other as (select max(c.at) as at, max(c.at) filter (where c.mode is distinct from l.mode or (l.policy, l.params) not in (select * from several) or (c.policy, c.params) not in (select * from several)) as strange
                 from fairbridge.cycles c, last l
                where c.cluster = $1 and c.partition = $2 and c.at >= $3 and (c.mode, c.policy, c.params) is distinct from (l.mode, l.policy, l.params))
select l.mode, l.policy, l.params, l.at,
       (select min(c.at) from fairbridge.cycles c where c.cluster = $1 and c.partition = $2 and c.at >= $3 and (o.at is null or c.at > o.at)),
       (select min(c.at) from fairbridge.cycles c where c.cluster = $1 and c.partition = $2 and c.at >= $3 and (o.strange is null or c.at > o.strange))
  from last l, other o where l.at >= $3
