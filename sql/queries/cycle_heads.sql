-- The last cycle that is stored of each of some partitions ($2), without what it saw.
select p.name, c.seq, c.at, c.mode, c.policy, c.params
  from unnest($2::text[]) as p (name)
 cross join lateral (select seq, at, mode, policy, params from fairbridge.cycles
                      where cluster = $1 and partition = p.name order by seq desc limit 1) c
 order by p.name
