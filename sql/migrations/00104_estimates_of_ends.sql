-- Estimates of ends are calibrated and scored as those of starts are.
-- +goose Up

alter table fairbridge.job_estimates add column raw_end_early timestamptz, add column raw_end_late timestamptz;
comment on column fairbridge.job_estimates.raw_end_early is 'The early edge of the end before calibration; null in looks from before ends were calibrated, which nothing is learnt from.';
comment on column fairbridge.job_estimates.raw_end_late is 'The late edge of the end before calibration; null in looks from before ends were calibrated.';

create or replace view fairbridge_v1.job_estimates with (security_barrier) as
select e.cluster, e.job, e.account, e.user_name, e.partition, e.arrive as arrived, e.made, e.early as start_early, e.middle as start_middle, e.late as start_late,
       e.end_early, e.end_middle, e.end_late, e.slurm as slurm_start, f.started, f.ended
  from fairbridge.job_estimates e left join lateral (
       select r.started, r.ended from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive and r.started is not null
        order by r.started limit 1) f on true
 where (select yes from fairbridge.sees_all) or (e.cluster, e.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.job_estimates is 'When waiting jobs were thought to start and end, at one look when a job is first seen and one an hour, with bands of 80 %, Slurm''s own estimate of the start, when they first started, and when that run ended (null: not yet). Ask for a job, or for a stretch of made.';

create or replace view fairbridge_v1.estimate_scores as
select cluster, partition, horizon, count(*) as looks,
       avg((started between start_early - interval '1 minute' and start_late + interval '1 minute')::int)::double precision as held,
       avg((started < start_early - interval '1 minute')::int)::double precision as early,
       avg((started > start_late + interval '1 minute')::int)::double precision as late,
       percentile_cont(0.5) within group (order by abs(extract(epoch from started - start_middle))::double precision) as median_error_s,
       count(slurm_start) as looks_with_slurm,
       percentile_cont(0.5) within group (order by abs(extract(epoch from started - start_middle))::double precision) filter (where slurm_start is not null) as median_error_with_slurm_s,
       percentile_cont(0.5) within group (order by abs(extract(epoch from started - slurm_start))::double precision) filter (where slurm_start is not null) as slurm_median_error_s,
       count(ended) as ends,
       avg((ended between end_early - interval '1 minute' and end_late + interval '1 minute')::int)::double precision as end_held,
       avg((ended < end_early - interval '1 minute')::int)::double precision as end_early,
       avg((ended > end_late + interval '1 minute')::int)::double precision as end_late,
       percentile_cont(0.5) within group (order by abs(extract(epoch from ended - end_middle))::double precision) filter (where ended is not null) as end_median_error_s
  from (select e.*, case when e.start_middle - e.made <= interval '10 minutes' then 1 when e.start_middle - e.made <= interval '1 hour' then 2
                         when e.start_middle - e.made <= interval '6 hours' then 3 when e.start_middle - e.made <= interval '1 day' then 4 else 5 end as horizon
          from fairbridge.watch w join fairbridge_v1.job_estimates e on e.cluster = w.cluster and e.made > w.at - interval '30 days') x
 where started is not null
 group by cluster, partition, horizon;
comment on view fairbridge_v1.estimate_scores is 'How good estimates of the last 30 days before the last poll were, of jobs that started: by partition and by how far ahead the start seemed (horizon 1: up to 10 minutes, 2: an hour, 3: 6 hours, 4: a day, 5: more). held is the part of starts within the band, a minute more or less (wanted: 0.75 to 0.85), early and late what missed it; the median absolute error of the middle, and on the looks at which Slurm had an estimate ours beside Slurm''s. ends and what follows say the same of the ends of those whose run is over.';
