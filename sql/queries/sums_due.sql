-- Days to sum up: changed ones, those since the last time, and those of changes in Slurm that were open.
with state as (
    select w.at, coalesce(s.as_of, w.at) as as_of from fairbridge.watch w left join fairbridge.report_state s using (cluster) where w.cluster = $1
)
select day from fairbridge.report_marks where cluster = $1
 union
select d::date from state s cross join lateral generate_series(date_trunc('day', s.as_of at time zone 'UTC'),
       greatest(s.at, (select max(c.at) from fairbridge.cycles c where c.cluster = $1)) at time zone 'UTC', interval '1 day') as d
 union
select (made at time zone 'UTC')::date from fairbridge.intents where cluster = $1 and closed is null
 union
select (i.made at time zone 'UTC')::date from state s join fairbridge.intents i on i.cluster = $1 and i.closed >= s.as_of
 order by 1
