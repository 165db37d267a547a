-- Decisions by day
-- How often the policy changed its mind about a job, and what it then wanted.
select d.day, d.partition, d.verb, d.changes
  from fairbridge_v1.decisions_by_day d
 where d.cluster = $1 and d.day >= ($2::timestamptz at time zone 'UTC')::date and d.day < $3::timestamptz at time zone 'UTC'
   and $4::text = '' and $5::text = ''
 order by d.day, d.partition, d.verb
