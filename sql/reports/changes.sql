-- Changes in Slurm and what came of them
-- OBSERVED ones were seen to work, YIELDED ones gave way to someone else's word, EXPIRED ones ran out as meant.
select c.partition, c.policy, c.kind, c.state, sum(c.changes)::bigint as changes
  from fairbridge_v1.changes_by_day c
 where c.cluster = $1 and c.day >= ($2::timestamptz at time zone 'UTC')::date and c.day < $3::timestamptz at time zone 'UTC'
   and $4::text = '' and $5::text = ''
 group by c.partition, c.policy, c.kind, c.state order by c.partition, c.policy, c.kind, c.state
