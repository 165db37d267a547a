-- Deadlines met and missed, by account
-- Jobs with a deadline that were first seen in the time, and what came of them. Missed are those that were late (done after it, or past it and not done), ended by their time limit or Slurm's own deadline, or failed; met_share is of those met or missed. Cancelled jobs, those whose owner changed the deadline before it was due, and those not due yet count for nothing.
with told as (
    select p.account, p.outcome, p.outcome in ('late', 'timeout', 'failed') as is_missed
      from fairbridge_v1.deadline_promises p
     where p.cluster = $1 and p.made >= $2 and p.made < $3 and ($4::text = '' or p.account = $4) and ($5::text = '' or p.user_name = $5)
)
select t.account, count(*) as jobs, count(*) filter (where t.outcome = 'met') as met, count(*) filter (where t.is_missed) as missed,
       count(*) filter (where t.outcome = 'met')::float8 / nullif(count(*) filter (where t.outcome = 'met' or t.is_missed), 0) as met_share,
       count(*) filter (where t.outcome = 'late') as late, count(*) filter (where t.outcome = 'timeout') as timed_out, count(*) filter (where t.outcome = 'failed') as failed,
       count(*) filter (where t.outcome = 'cancelled') as cancelled, count(*) filter (where t.outcome = 'changed') as changed_deadline, count(*) filter (where t.outcome = 'open') as not_due
  from told t group by t.account order by missed desc, t.account
