-- The contract: views that keep their columns within a major version.
-- +goose Up
create schema fairbridge_v1;
comment on schema fairbridge_v1 is 'Report views of fairbridge, version 1. Columns are added at the end, never renamed, retyped or removed within version 1. Times are UTC instants; GPU amounts are whole GPUs.';

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

create view fairbridge_v1.cycles as
select cluster, partition, seq, epoch, at, mode, policy, params, decisions, jsonb_array_length(refused) as refused, pushed, took, digest
  from fairbridge.cycles;
comment on view fairbridge_v1.cycles is 'Every cycle: what policy ran on what (digest of its snapshot), how many decisions, refusals of the gate and changes meant for Slurm; took maps steps to durations.';

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
  left join lateral (select * from fairbridge.job_runs r
                      where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1) r on true;
comment on view fairbridge_v1.queue_now is 'The queue as of the last cycle: order by partition, rank.';

create view fairbridge_v1.intents as
select id, cluster, partition, seq, policy, job, restarts, kind, field, value, until, nodes, why, state, error, made, sent, observed, closed, not_after
  from fairbridge.intents;
comment on view fairbridge_v1.intents is 'Every change we meant to make in Slurm and what came of it.';

create view fairbridge_v1.intents_open as
select * from fairbridge_v1.intents where state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN');
comment on view fairbridge_v1.intents_open is 'Changes whose outcome is still to be seen.';

create view fairbridge_v1.leader as
select cluster, epoch, holder, since, renewed, expires, expires > now() as alive from fairbridge.leader;
comment on view fairbridge_v1.leader is 'Which daemon leads each cluster.';

create view fairbridge_v1.gpu_use_by_job_hour as
select cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts from fairbridge.gpu_hours;
comment on view fairbridge_v1.gpu_use_by_job_hour is 'Measured GPU use per job and hour: busy and mem_used are shares 0..1, watts the mean per GPU.';

-- +goose Down
drop schema fairbridge_v1 cascade;
