-- The contract, second part: efficiency, waits, fairness, idle GPUs, stops,
-- limits, estimates; and who sees whose rows.
-- +goose Up
create table fairbridge.coordinators (
    role    name not null,
    cluster text not null,
    account text not null,
    primary key (role, cluster, account)
);
comment on table fairbridge.coordinators is 'Which accounts, with those below them, the members of a role see in the report views. The role must be a member of fairbridge_coordinator to read them at all.';

create view fairbridge.sees_all as
select exists (select from pg_roles r where r.rolname = 'fairbridge_report' and pg_has_role(current_user, r.oid, 'usage'))
    or has_table_privilege(current_user, 'fairbridge.job_runs'::regclass, 'select') as yes;
comment on view fairbridge.sees_all is 'Whether the role that asks sees every account: members of fairbridge_report, and who may read the record itself.';

create view fairbridge.sees as
with recursive below as (
    select c.cluster, c.account from fairbridge.coordinators c join pg_roles r on r.rolname = c.role where pg_has_role(current_user, r.oid, 'usage')
     union
    select a.cluster, a.name from below b join fairbridge.accounts a on a.cluster = b.cluster and a.parent = b.account
)
select cluster, account from below;
comment on view fairbridge.sees is 'The accounts that the role that asks coordinates.';

create view fairbridge.stale_days as
select cluster, day from fairbridge.report_marks
 union
select w.cluster, d::date
  from fairbridge.watch w left join fairbridge.report_state s using (cluster)
 cross join lateral generate_series(date_trunc('day', coalesce(s.as_of, (select min(x.started) from fairbridge.run_segments x where x.cluster = w.cluster)) at time zone 'UTC'),
                                    w.at at time zone 'UTC', interval '1 day') as d;
comment on view fairbridge.stale_days is 'Days whose sums may be behind the record: marked ones and those since the last summing up.';

create or replace view fairbridge_v1.runs with (security_barrier) as
select r.cluster, r.job, r.restarts, to_timestamp(r.submit) as submitted, r.arrive as arrived, r.name, r.user_name, r.account,
       r.qos, r.partition, r.state, r.reason, r.gpus, r.started, r.ended, r.exact,
       extract(epoch from coalesce(r.ended, w.at) - r.started)::double precision as elapsed_seconds,
       (select coalesce(sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started)), 0)::double precision
          from fairbridge.run_segments s
         where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts) as gpu_seconds,
       extract(epoch from r.time_limit)::double precision as limit_seconds
  from fairbridge.job_runs r left join fairbridge.watch w using (cluster)
 where (select yes from fairbridge.sees_all) or (r.cluster, r.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.runs is 'Every run of every job seen, with the GPU-seconds it got (suspended time does not count), as of the last poll. Ask for a job, or for a stretch of started; sums over many are in the views by day.';

create or replace view fairbridge_v1.segments with (security_barrier) as
select s.cluster, s.job, s.restarts, s.node, s.gpu_type, s.gpus, s.part as percent_of_gpu, s.user_name, s.account, s.partition,
       s.started, s.stopped, greatest(coalesce(s.stopped, w.at), s.started) as known_until
  from fairbridge.run_segments s left join fairbridge.watch w using (cluster)
 where (select yes from fairbridge.sees_all) or (s.cluster, s.account) in (select cluster, account from fairbridge.sees);

create view fairbridge.usage_now as
select u.cluster, u.day, u.account, u.user_name, u.partition, u.gpu_type, u.gpu_s
  from fairbridge.usage_days u where not exists (select from fairbridge.stale_days d where d.cluster = u.cluster and d.day = u.day)
 union all
select s.cluster, d.day, s.account, s.user_name, s.partition, s.gpu_type,
       (s.gpus * s.part / 100.0 * extract(epoch from least(s.stopped, d.hi) - greatest(s.started, d.lo)))::double precision
  from (select cluster, day, day::timestamp at time zone 'UTC' as lo, (day + 1)::timestamp at time zone 'UTC' as hi from fairbridge.stale_days) d
  -- One look into the index a day: offset 0 keeps the planner from joining the other way round, both ends of stopped let it expect few.
 cross join lateral (select * from fairbridge.run_segments s
                      where s.cluster = d.cluster and s.stopped is not null and s.stopped > d.lo and s.stopped < 'infinity' and s.started < d.hi and s.stopped > s.started offset 0) s
 union all
select s.cluster, d.day, s.account, s.user_name, s.partition, s.gpu_type,
       (s.gpus * s.part / 100.0 * extract(epoch from least(w.at, d.hi) - greatest(s.started, d.lo)))::double precision
  from (select cluster, day, day::timestamp at time zone 'UTC' as lo, (day + 1)::timestamp at time zone 'UTC' as hi from fairbridge.stale_days) d
  join fairbridge.watch w on w.cluster = d.cluster and w.at > d.lo
  join fairbridge.run_segments s on s.cluster = d.cluster and s.stopped is null and s.started < least(w.at, d.hi);
comment on view fairbridge.usage_now is 'GPU-seconds by day as of the last poll: the sums, and the record itself for days whose sums are behind.';

create or replace view fairbridge_v1.usage_by_user_day with (security_barrier) as
select u.cluster, u.day, u.account, u.user_name, u.gpu_type, (sum(u.gpu_s) / 3600)::double precision as gpu_hours
  from fairbridge.usage_now u
 where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees)
 group by u.cluster, u.day, u.account, u.user_name, u.gpu_type;
comment on view fairbridge_v1.usage_by_user_day is 'GPU-hours per UTC day, account, user and GPU type, split exactly at midnight, as of the last poll.';

create or replace view fairbridge_v1.decisions_latest with (security_barrier) as
select d.cluster, d.partition, d.job, d.verb, d.rank, d.gpus, d.alloc as place, nullif(d.room_for, 0) as makes_room_for, d.why, d.seq as since_cycle
  from fairbridge.decision_now d where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = d.cluster and r.job = d.job);

create or replace view fairbridge_v1.decisions with (security_barrier) as
select d.cluster, d.partition, d.job, d.seq, d.at, d.verb, d.rank, d.gpus, d.alloc as place, nullif(d.room_for, 0) as makes_room_for, d.why
  from fairbridge.decisions d where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = d.cluster and r.job = d.job);

create or replace view fairbridge_v1.queue_now with (security_barrier) as
select d.cluster, d.partition, d.rank, d.job, r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, d.verb, d.alloc as place, d.why,
       r.arrive as arrived, r.started, r.time_limit
  from fairbridge.decision_now d
  left join lateral (select r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, r.arrive, r.started, r.time_limit from fairbridge.job_runs r
                      where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1) r on true
 where (select yes from fairbridge.sees_all) or (d.cluster, r.account) in (select cluster, account from fairbridge.sees);

create or replace view fairbridge_v1.intents with (security_barrier) as
select i.id, i.cluster, i.partition, i.seq, i.policy, i.job, i.restarts, i.kind, i.field, i.value, i.until, i.nodes, i.why, i.state, i.error, i.made, i.sent, i.observed,
       i.closed, i.not_after
  from fairbridge.intents i where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = i.cluster and r.job = i.job);

create or replace view fairbridge_v1.gpu_use_by_job_hour with (security_barrier) as
select h.cluster, h.hour, h.job, h.gpu_type, h.gpus, h.samples, h.busy, h.busy_max, h.mem_used, h.watts, h.known, h.shared, h.unused, h.idle, h.throttled, h.sick
  from fairbridge.gpu_hours h where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = h.cluster and r.job = h.job);

create or replace view fairbridge_v1.gpu_use_by_run with (security_barrier) as
select u.cluster, u.job, u.restarts, to_timestamp(u.submit) as submitted, r.user_name, r.account, r.started, r.ended, u.gpu_type, u.gpus, u.samples,
       u.known, u.shared, u.unused, u.idle, u.throttled, u.sick, u.busy, u.busy_max, u.mem_used, u.watts
  from fairbridge.gpu_runs u join fairbridge.job_runs r using (cluster, job, submit, restarts)
 where (select yes from fairbridge.sees_all) or (r.cluster, r.account) in (select cluster, account from fairbridge.sees);

create view fairbridge_v1.report_state as
select w.cluster, w.at as polled, s.as_of, s.made, (select count(*) from fairbridge.stale_days d where d.cluster = w.cluster) as days_behind
  from fairbridge.watch w left join fairbridge.report_state s using (cluster);
comment on view fairbridge_v1.report_state is 'How fresh the sums are: the record up to as_of is in the views by day and by run that ended, but for days_behind days that changed since. The daemon sums up every few minutes.';

create view fairbridge_v1.efficiency_by_job with (security_barrier) as
select f.cluster, f.job, f.restarts, f.name, f.user_name, f.account, f.partition, f.state, f.gpus, f.arrive as arrived, f.started, f.ended, f.elapsed_s as elapsed_seconds,
       f.limit_s as limit_seconds, f.gpu_s / 3600 as gpu_hours, f.measured_s / 3600 as measured_gpu_hours, f.busy_s / 3600 as busy_gpu_hours,
       f.idle_s / 3600 as idle_gpu_hours, f.held_s / 3600 as held_without_process_gpu_hours,
       f.busy_s / nullif(f.measured_s, 0) as busy_share, f.mem_used as memory_share, (f.measured_s - f.busy_s) / 3600 as wasted_gpu_hours
  from fairbridge.run_facts f where f.started is not null and ((select yes from fairbridge.sees_all) or (f.cluster, f.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.efficiency_by_job is 'Every run that ended: GPU-hours allocated, measured, busy (measured times utilisation), idle (a process, but less than 1 % busy), held without any process. What was not measured is unknown, not idle. wasted is measured less busy.';

create view fairbridge_v1.efficiency_now with (security_barrier) as
select f.cluster, f.job, f.restarts, f.name, f.user_name, f.account, f.partition, f.state, f.gpus, f.arrive as arrived, f.started, f.ended, f.elapsed_s as elapsed_seconds,
       f.limit_s as limit_seconds, f.gpu_s / 3600 as gpu_hours, f.measured_s / 3600 as measured_gpu_hours, f.busy_s / 3600 as busy_gpu_hours,
       f.idle_s / 3600 as idle_gpu_hours, f.held_s / 3600 as held_without_process_gpu_hours,
       f.busy_s / nullif(f.measured_s, 0) as busy_share, f.mem_used as memory_share, (f.measured_s - f.busy_s) / 3600 as wasted_gpu_hours
  from fairbridge.run_live f where not f.closed and f.started is not null and ((select yes from fairbridge.sees_all) or (f.cluster, f.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.efficiency_now is 'The same of every run that holds GPUs now, as far as its hours were measured.';

create view fairbridge_v1.efficiency_by_user_day with (security_barrier) as
select u.cluster, u.day, u.account, u.user_name, u.partition, u.gpu_type, u.gpu_s / 3600 as gpu_hours, u.measured_s / 3600 as measured_gpu_hours,
       u.busy_s / 3600 as busy_gpu_hours, u.idle_s / 3600 as idle_gpu_hours, u.held_s / 3600 as held_without_process_gpu_hours
  from fairbridge.usage_days u where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.efficiency_by_user_day is 'GPU-hours per UTC day, account, user, partition and GPU type by how they were used; columns as in efficiency_by_job. Shares are busy over measured: add up first, divide last.';

create view fairbridge_v1.efficiency_by_account_day as
select cluster, day, account, gpu_type, sum(gpu_hours) as gpu_hours, sum(measured_gpu_hours) as measured_gpu_hours, sum(busy_gpu_hours) as busy_gpu_hours,
       sum(idle_gpu_hours) as idle_gpu_hours, sum(held_without_process_gpu_hours) as held_without_process_gpu_hours
  from fairbridge_v1.efficiency_by_user_day group by cluster, day, account, gpu_type;
comment on view fairbridge_v1.efficiency_by_account_day is 'The same per account.';

create view fairbridge_v1.waits with (security_barrier) as
select f.cluster, f.job, f.account, f.user_name, f.partition, f.arrive as arrived, f.started, f.value as wait_seconds
  from fairbridge.first_waits f where (select yes from fairbridge.sees_all) or (f.cluster, f.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.waits is 'Each job''s wait from its first submission to its first start, as of the last poll. Time on hold or behind a dependency counts. Ask for a stretch of started.';

create view fairbridge_v1.waits_by_user_day with (security_barrier) as
select d.cluster, d.day, d.account, d.user_name, d.partition, d.jobs, d.wait_s as wait_seconds
  from fairbridge.wait_days d where (select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.waits_by_user_day is 'Jobs that started for the first time on a UTC day, and the sum of their waits.';

create view fairbridge_v1.middles_by_account_day with (security_barrier) as
select d.cluster, d.day, d.measure, d.account, d.p50 as median, d.p95, d.most
  from fairbridge.middle_days d where (select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.middles_by_account_day is 'Median, 95th percentile and greatest value per UTC day and account: measure is wait (seconds, by day of the first start), slowdown or rho (by day of the end).';

create view fairbridge_v1.spread_by_account_day with (security_barrier) as
select d.cluster, d.day, d.measure, d.account, d.partition,
       case when d.bucket = 0 then 0 else power(2::double precision, (d.bucket - 1) / 4::double precision) end / case when d.measure = 'wait' then 1 else 100 end as value_from,
       power(2::double precision, d.bucket / 4::double precision) / case when d.measure = 'wait' then 1 else 100 end as value_to, d.jobs
  from fairbridge.spread_days d where (select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.spread_by_account_day is 'How many jobs had a wait (seconds), slowdown or rho within value_from to value_to, per UTC day, account and partition. These add up over any days and accounts, which medians do not; a bucket is 19 % wide.';

create view fairbridge_v1.outcomes_by_user_day with (security_barrier) as
select d.cluster, d.day, d.account, d.user_name, d.partition, d.runs, d.completed, d.failed, d.cancelled, d.timeouts, d.jobs,
       d.slowdown as slowdown_sum, d.rho as rho_sum, d.rho_jobs, d.rho_unfair as rho_unfair_jobs
  from fairbridge.run_days d where (select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.outcomes_by_user_day is 'Runs by the UTC day of their end. jobs are those done for good that had run: slowdown is (wait + work) / work; rho, finish-time fairness, is the same over the mean demand for GPUs per GPU while the job was there (at least 1), so above 1 it came off worse than an equal part. rho_unfair_jobs had more than 1.05. Work is the time GPUs were held, repeated work included.';

create view fairbridge_v1.job_fairness with (security_barrier) as
select o.cluster, o.job, o.account, o.user_name, o.partition, o.gpus, o.arrive as arrived, o.ended, o.work_s as work_seconds, o.contention, o.slowdown, o.rho
  from fairbridge.run_facts o where o.slowdown is not null and ((select yes from fairbridge.sees_all) or (o.cluster, o.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.job_fairness is 'Slowdown and finish-time fairness of every job that is done; slowdown assumes at least 10 s of work, terms as in outcomes_by_user_day.';

create view fairbridge.shares as
select s.*, s.entitled * sum(s.used_s) over (partition by s.cluster, s.day) / nullif(sum(s.entitled) filter (where s.wanted_s > 0 or s.used_s > 0) over (partition by s.cluster, s.day), 0) as due_s,
       sum(s.used_s) over (partition by s.cluster, s.day) as all_s
  from fairbridge.share_days s;
comment on view fairbridge.shares is 'Shares with what was due of what was used: by entitlement, among the accounts that wanted something.';

create view fairbridge_v1.share_by_account_day with (security_barrier) as
select s.cluster, s.day, s.account, s.entitled as entitled_share, s.used_s / nullif(s.all_s, 0) as used_share, s.used_s / 3600 as used_gpu_hours,
       s.wanted_s / 3600 as wanted_gpu_hours, case when s.wanted_s > 0 or s.used_s > 0 then s.due_s else 0 end / 3600 as due_gpu_hours,
       greatest(case when s.wanted_s > 0 or s.used_s > 0 then least(s.due_s, s.wanted_s) else 0 end - s.used_s, 0) / 3600 as deficit_gpu_hours
  from fairbridge.shares s where (select yes from fairbridge.sees_all) or (s.cluster, s.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.share_by_account_day is 'Per UTC day and account: its entitled part of the cluster (weights along the tree; the day''s own), the part it used, and wanted (asked for or held). due is its part of all that was used, by entitlement among the accounts that wanted something; deficit is what it lacked of that, at most what it wanted. Sum deficits over days.';

create view fairbridge_v1.jain_by_day as
select cluster, day, count(*) as accounts, power(sum(x), 2) / nullif(count(*) * sum(x * x), 0) as jain, power(sum(y), 2) / nullif(count(*) * sum(y * y), 0) as jain_of_wanted
  from (select cluster, day, used_s / nullif(due_s, 0) as x, used_s / nullif(least(due_s, greatest(wanted_s, used_s)), 0) as y
          from fairbridge.shares where wanted_s > 0 or used_s > 0) a
 where x is not null group by cluster, day;
comment on view fairbridge_v1.jain_by_day is 'Jain''s index per UTC day over the accounts that wanted something: of used over due, and of used over what was due and wanted. 1 is even, 1/accounts is one having all.';

create view fairbridge_v1.gpus_by_hour as
select cluster, nullif(partition, '') as partition, hour, gpu_type, looks, gpus, held as held_gpus, idle as idle_gpus, stranded as stranded_gpus, away as unavailable_gpus, wanted as wanted_gpus
  from fairbridge.capacity_hours;
comment on view fairbridge_v1.gpus_by_hour is 'GPUs as cycles saw them, means of the hour: held by jobs, idle, stranded (idle, but the node has no cores or memory left to use them), unavailable (node down or drained, GPU sick), and wanted by jobs that could start. Counted in devices. partition null is the whole cluster, each node once.';

create view fairbridge_v1.stops_by_user_day with (security_barrier) as
select d.cluster, d.day, d.account, d.user_name, d.partition, d.by_fairbridge, d.by_slurm, d.by_node, d.by_other,
       d.lost_fairbridge_s / 3600 as lost_to_fairbridge_gpu_hours, d.lost_s / 3600 as lost_gpu_hours
  from fairbridge.run_days d where d.by_fairbridge + d.by_slurm + d.by_node + d.by_other > 0 and ((select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.stops_by_user_day is 'Runs that lost their GPUs before they were done, by who took them: fairbridge (a requeue of ours), slurm (preemption), node (failure), other. lost is all those runs held: an upper bound, what was checkpointed is not lost.';

create view fairbridge_v1.stops with (security_barrier) as
select f.cluster, f.job, f.restarts, f.account, f.user_name, f.partition, f.gpus, f.started, f.ended, f.state, f.stopped_by, f.gpu_s / 3600 as lost_gpu_hours
  from fairbridge.run_facts f where f.stopped_by is not null and ((select yes from fairbridge.sees_all) or (f.cluster, f.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.stops is 'Each of those runs.';

create view fairbridge_v1.decisions_by_day as
select cluster, day, partition, verb, changes from fairbridge.decision_days;
comment on view fairbridge_v1.decisions_by_day is 'How often a policy changed its mind about a job, by UTC day, partition and what it now wants.';

create view fairbridge_v1.changes_by_day as
select cluster, day, partition, policy, kind, state, changes from fairbridge.change_days;
comment on view fairbridge_v1.changes_by_day is 'Changes meant for Slurm by the UTC day they were made and what came of them; YIELDED ones gave way to someone else''s word.';

create view fairbridge_v1.time_limits_by_user_day with (security_barrier) as
select d.cluster, d.day, d.account, d.user_name, d.partition, d.limited as runs, d.timeouts, d.limit_s / 3600 as limit_hours, d.limited_s / 3600 as elapsed_hours
  from fairbridge.run_days d where d.limited + d.timeouts > 0 and ((select yes from fairbridge.sees_all) or (d.cluster, d.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.time_limits_by_user_day is 'Time limits by the UTC day of the end: runs completed under a limit, the hours they asked for and the hours they took, and runs that hit theirs. Accuracy is elapsed over limit.';

create view fairbridge_v1.start_estimates with (security_barrier) as
select e.cluster, e.job, e.account, e.user_name, e.partition, e.arrive as arrived, e.made, e.start as estimated, e.started,
       extract(epoch from e.started - e.start)::double precision as late_seconds
  from fairbridge.start_estimates e where (select yes from fairbridge.sees_all) or (e.cluster, e.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.start_estimates is 'What Slurm estimated for waiting jobs, at one look an hour, and when they first started (null: not yet, as of the last summing up). late is real less estimated.';

create view fairbridge_v1.usage_by_partition_day with (security_barrier) as
select u.cluster, u.day, u.partition, u.account, u.gpu_type, sum(u.gpu_s) / 3600 as gpu_hours
  from fairbridge.usage_days u where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees) group by u.cluster, u.day, u.partition, u.account, u.gpu_type;
comment on view fairbridge_v1.usage_by_partition_day is 'GPU-hours per UTC day, partition, account and GPU type, as of the last summing up.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd

-- +goose Down
drop view fairbridge_v1.efficiency_by_account_day, fairbridge_v1.usage_by_account_day, fairbridge_v1.intents_open;
drop view fairbridge_v1.runs,
          fairbridge_v1.segments,
          fairbridge_v1.usage_by_user_day,
          fairbridge_v1.decisions_latest,
          fairbridge_v1.decisions,
          fairbridge_v1.queue_now,
          fairbridge_v1.intents,
          fairbridge_v1.gpu_use_by_job_hour,
          fairbridge_v1.gpu_use_by_run,
          fairbridge_v1.report_state,
          fairbridge_v1.efficiency_by_job,
          fairbridge_v1.efficiency_now,
          fairbridge_v1.efficiency_by_user_day,
          fairbridge_v1.waits,
          fairbridge_v1.waits_by_user_day,
          fairbridge_v1.middles_by_account_day,
          fairbridge_v1.spread_by_account_day,
          fairbridge_v1.outcomes_by_user_day,
          fairbridge_v1.job_fairness,
          fairbridge_v1.share_by_account_day,
          fairbridge_v1.jain_by_day,
          fairbridge_v1.gpus_by_hour,
          fairbridge_v1.stops_by_user_day,
          fairbridge_v1.stops,
          fairbridge_v1.decisions_by_day,
          fairbridge_v1.changes_by_day,
          fairbridge_v1.time_limits_by_user_day,
          fairbridge_v1.start_estimates,
          fairbridge_v1.usage_by_partition_day;
drop view fairbridge.shares, fairbridge.usage_now, fairbridge.stale_days, fairbridge.sees, fairbridge.sees_all;
drop table fairbridge.coordinators;
create view fairbridge_v1.runs as
select r.cluster, r.job, r.restarts, to_timestamp(r.submit) as submitted, r.arrive as arrived, r.name, r.user_name, r.account,
       r.qos, r.partition, r.state, r.reason, r.gpus, r.started, r.ended, r.exact,
       extract(epoch from coalesce(r.ended, w.at) - r.started)::double precision as elapsed_seconds,
       (select coalesce(sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started)), 0)::double precision
          from fairbridge.run_segments s
         where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts) as gpu_seconds
  from fairbridge.job_runs r left join fairbridge.watch w using (cluster);
comment on view fairbridge_v1.runs is 'Every run of every job seen, with the GPU-seconds it got (suspended time does not count).';
create view fairbridge_v1.segments as
select s.cluster, s.job, s.restarts, s.node, s.gpu_type, s.gpus, s.part as percent_of_gpu, s.user_name, s.account, s.partition,
       s.started, s.stopped, greatest(coalesce(s.stopped, w.at), s.started) as known_until
  from fairbridge.run_segments s left join fairbridge.watch w using (cluster);
comment on view fairbridge_v1.segments is 'Who held which GPUs from when to when; stopped is null while they are held.';
create view fairbridge_v1.usage_by_user_day as
select s.cluster, d.day::date as day, s.account, s.user_name, s.gpu_type,
       (sum(s.gpus * s.percent_of_gpu / 100.0 *
            extract(epoch from least(s.known_until, (d.day + interval '1 day') at time zone 'UTC') - greatest(s.started, d.day at time zone 'UTC'))) / 3600)::double precision as gpu_hours
  from fairbridge_v1.segments s
 cross join lateral generate_series(date_trunc('day', s.started at time zone 'UTC'), s.known_until at time zone 'UTC', interval '1 day') as d(day)
 where s.known_until > s.started
 group by s.cluster, d.day, s.account, s.user_name, s.gpu_type;
comment on view fairbridge_v1.usage_by_user_day is 'GPU-hours per UTC day, account, user and GPU type, split exactly at midnight.';
create view fairbridge_v1.usage_by_account_day as
select cluster, day, account, gpu_type, sum(gpu_hours) as gpu_hours
  from fairbridge_v1.usage_by_user_day group by cluster, day, account, gpu_type;
comment on view fairbridge_v1.usage_by_account_day is 'GPU-hours per UTC day, account and GPU type.';
create view fairbridge_v1.decisions_latest as
select d.cluster, d.partition, d.job, d.verb, d.rank, d.gpus, d.alloc as place, nullif(d.room_for, 0) as makes_room_for, d.why, d.seq as since_cycle
  from fairbridge.decision_now d;
comment on view fairbridge_v1.decisions_latest is 'What the last cycle of each partition decided about every job, and why.';
create view fairbridge_v1.decisions as
select cluster, partition, job, seq, at, verb, rank, gpus, alloc as place, nullif(room_for, 0) as makes_room_for, why
  from fairbridge.decisions;
comment on view fairbridge_v1.decisions is 'History of decisions: one row per change of verb, GPUs, place or beneficiary.';
create view fairbridge_v1.queue_now as
select d.cluster, d.partition, d.rank, d.job, r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, d.verb, d.alloc as place, d.why,
       r.arrive as arrived, r.started, r.time_limit
  from fairbridge.decision_now d
  left join lateral (select r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, r.arrive, r.started, r.time_limit from fairbridge.job_runs r
                      where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1) r on true;
comment on view fairbridge_v1.queue_now is 'The queue as of the last cycle: order by partition, rank.';
create view fairbridge_v1.intents as
select id, cluster, partition, seq, policy, job, restarts, kind, field, value, until, nodes, why, state, error, made, sent, observed, closed, not_after
  from fairbridge.intents;
comment on view fairbridge_v1.intents is 'Every change we meant to make in Slurm and what came of it.';
create view fairbridge_v1.intents_open as
select * from fairbridge_v1.intents where state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN');
comment on view fairbridge_v1.intents_open is 'Changes whose outcome is still to be seen.';
create view fairbridge_v1.gpu_use_by_job_hour as
select cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts, known, shared, unused, idle, throttled, sick
  from fairbridge.gpu_hours;
comment on view fairbridge_v1.gpu_use_by_job_hour is 'Measured GPU use per job and hour: busy and mem_used are shares 0..1, watts the mean per GPU. Of the samples, known had a utilisation of the job''s own, unused held a GPU without a process on it, idle were less than 1 % busy with one.';
create view fairbridge_v1.gpu_use_by_run as
select u.cluster, u.job, u.restarts, to_timestamp(u.submit) as submitted, r.user_name, r.account, r.started, r.ended, u.gpu_type, u.gpus, u.samples,
       u.known, u.shared, u.unused, u.idle, u.throttled, u.sick, u.busy, u.busy_max, u.mem_used, u.watts
  from fairbridge.gpu_runs u join fairbridge.job_runs r using (cluster, job, submit, restarts);
comment on view fairbridge_v1.gpu_use_by_run is 'Measured GPU use of every ended run, by GPU type; columns as in gpu_use_by_job_hour.';
-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
