-- What jobs were told of their deadlines, and what came of it
-- Jobs with a deadline that were first seen in the time, by the chance that they were told then, in fifths. met_share is what that chance should be: of jobs that were met, late, ended by their time limit or failed; those cancelled, with a changed deadline or not due yet are only counted.
with told as (
    select least(floor(p.chance * 5)::int, 4) as fifth, p.chance, p.outcome
      from fairbridge_v1.deadline_promises p
     where p.cluster = $1 and p.made >= $2 and p.made < $3 and ($4::text = '' or p.account = $4) and ($5::text = '' or p.user_name = $5)
)
select (array['under 20 %', '20 to 40 %', '40 to 60 %', '60 to 80 %', 'over 80 %'])[t.fifth + 1] as told, count(*) as jobs,
       avg(t.chance) filter (where t.outcome in ('met', 'late', 'timeout', 'failed')) as told_share,
       count(*) filter (where t.outcome = 'met')::float8 / nullif(count(*) filter (where t.outcome in ('met', 'late', 'timeout', 'failed')), 0) as met_share,
       count(*) filter (where t.outcome = 'met') as met, count(*) filter (where t.outcome = 'late') as late, count(*) filter (where t.outcome = 'timeout') as timed_out, count(*) filter (where t.outcome = 'failed') as failed,
       count(*) filter (where t.outcome = 'cancelled') as cancelled, count(*) filter (where t.outcome = 'changed') as changed_deadline, count(*) filter (where t.outcome = 'open') as not_due
  from told t group by t.fifth order by t.fifth
