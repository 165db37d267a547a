-- A coordinator's role reads none of fairbridge's sentences: they may name jobs, users and accounts of others, which the daemon's API
-- hides one by one. A job's number may have been another account's before: a row is seen by whose the run was.
-- +goose Up

create or replace view fairbridge_v1.decisions_latest with (security_barrier) as
select d.cluster, d.partition, d.job, d.verb, d.rank, d.gpus, d.alloc as place,
       case when (select yes from fairbridge.sees_all) then nullif(d.room_for, 0) end as makes_room_for,
       case when (select yes from fairbridge.sees_all) then d.why else '' end as why, d.seq as since_cycle
  from fairbridge.decision_now d
 where (select yes from fairbridge.sees_all)
    or (d.cluster, (select r.account from fairbridge.job_runs r where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1))
       in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.decisions_latest is 'What the last cycle of each partition decided about every job, and why. A coordinator reads no why and no makes_room_for, which may name others: fairbridge explain tells what they may know.';

create or replace view fairbridge_v1.decisions with (security_barrier) as
select d.cluster, d.partition, d.job, d.seq, d.at, d.verb, d.rank, d.gpus, d.alloc as place,
       case when (select yes from fairbridge.sees_all) then nullif(d.room_for, 0) end as makes_room_for,
       case when (select yes from fairbridge.sees_all) then d.why else '' end as why
  from fairbridge.decisions d
 where (select yes from fairbridge.sees_all)
    or (d.cluster, (select r.account from fairbridge.job_runs r where r.cluster = d.cluster and r.job = d.job and to_timestamp(r.submit) <= d.at
                     order by r.submit desc, r.restarts desc limit 1))
       in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.decisions is 'History of decisions: one row per change of verb, GPUs, place or beneficiary. A coordinator reads no why and no makes_room_for.';

create or replace view fairbridge_v1.queue_now with (security_barrier) as
select d.cluster, d.partition, d.rank, d.job, r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, d.verb, d.alloc as place,
       case when (select yes from fairbridge.sees_all) then d.why else '' end as why, r.arrive as arrived, r.started, r.time_limit
  from fairbridge.decision_now d
  left join lateral (select r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, r.arrive, r.started, r.time_limit from fairbridge.job_runs r
                      where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1) r on true
 where (select yes from fairbridge.sees_all) or (d.cluster, r.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.queue_now is 'The queue as of the last cycle: order by partition, rank. A coordinator reads no why.';

create or replace view fairbridge_v1.intents with (security_barrier) as
select i.id, i.cluster, i.partition, i.seq, i.policy, i.job, i.restarts, i.kind, i.field, i.value, i.until, i.nodes,
       case when (select yes from fairbridge.sees_all) then i.why else '' end as why, i.state,
       case when (select yes from fairbridge.sees_all) then i.error else '' end as error, i.made, i.sent, i.observed, i.closed, i.not_after,
       case when (select yes from fairbridge.sees_all) then i.text else '' end as text
  from fairbridge.intents i
 where (select yes from fairbridge.sees_all)
    or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = i.cluster and r.job = i.job and r.submit = i.submit);
comment on view fairbridge_v1.intents is 'Every change we meant to make in Slurm and what came of it. A coordinator reads no why, error and text.';

create or replace view fairbridge_v1.idle_stops with (security_barrier) as
select i.cluster, i.sent, i.job, i.restarts, i.partition, r.user_name, r.account, r.gpus, (i.before -> 'stop' ->> 'idle')::double precision / 1e9 as idle_s,
       case when (select yes from fairbridge.sees_all) then (i.before -> 'stop' ->> 'for')::bigint end as for_job, i.state
  from fairbridge.intents i join fairbridge.job_runs r on r.cluster = i.cluster and r.job = i.job and r.submit = i.submit and r.restarts = i.restarts
 where i.kind = 'requeue' and i.before -> 'stop' -> 'idle' is not null and i.sent is not null
   and ((select yes from fairbridge.sees_all) or (i.cluster, r.account) in (select cluster, account from fairbridge.sees));

create or replace view fairbridge_v1.doubts as
select cluster, cause, case when (select yes from fairbridge.sees_all) then why else '' end as why, holder, since, at from fairbridge.doubts;
