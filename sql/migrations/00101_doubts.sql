-- What keeps the daemon from sending anything, for whoever asks while no cycle is stored; jobs
-- by the names that squeue gives them.
-- +goose Up

create table fairbridge.doubts (
    cluster text        not null,
    cause   text        not null,
    why     text        not null,
    holder  text        not null,
    since   timestamptz not null,
    at      timestamptz not null,
    primary key (cluster, cause)
);
comment on table fairbridge.doubts is 'What was in doubt in the last cycle (at) of the daemon that leads, which sends nothing meanwhile, or nothing of one partition: one row per cause, since the first cycle in a row that had it; none while nothing is in doubt.';

create view fairbridge_v1.doubts as
select cluster, cause, why, holder, since, at from fairbridge.doubts;
comment on view fairbridge_v1.doubts is 'What was in doubt in the last cycle (at) of the daemon that leads, which sends nothing meanwhile, or nothing of one partition, and since when: one row per cause, none while nothing is in doubt.';

create or replace view fairbridge_v1.runs with (security_barrier) as
select r.cluster, r.job, r.restarts, to_timestamp(r.submit) as submitted, r.arrive as arrived, r.name, r.user_name, r.account,
       r.qos, r.partition, r.state, r.reason, r.gpus, r.started, r.ended, r.exact,
       extract(epoch from coalesce(r.ended, w.at) - r.started)::double precision as elapsed_seconds,
       (select coalesce(sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started)), 0)::double precision
          from fairbridge.run_segments s
         where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts) as gpu_seconds,
       extract(epoch from r.time_limit)::double precision as limit_seconds,
       case when r.array_job <> 0 and (r.job <> r.array_job or r.started is not null) then r.array_job || '_' || r.array_task else r.job::text end as address
  from fairbridge.job_runs r left join fairbridge.watch w using (cluster)
 where (select yes from fairbridge.sees_all) or (r.cluster, r.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.runs is 'Every run of every job seen, with the GPU-seconds it got (suspended time does not count), as of the last poll; address is the job as squeue writes it, 47_3 for a task of an array. Ask for a job, or for a stretch of started; sums over many are in the views by day.';
