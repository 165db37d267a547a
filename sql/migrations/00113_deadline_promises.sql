-- What jobs with deadlines were told when they were first seen, and what came of it.
-- +goose Up

create table fairbridge.deadline_promises (
    cluster       text        not null,
    job           bigint      not null,
    arrive        timestamptz not null,
    made          timestamptz not null,
    user_name     text        not null,
    account       text        not null,
    partition     text        not null,
    deadline      timestamptz not null,
    is_soft       boolean     not null,
    chance        double precision not null,
    last_deadline timestamptz,
    primary key (cluster, job, arrive)
);
create index deadline_promises_made on fairbridge.deadline_promises (cluster, made);
comment on table fairbridge.deadline_promises is 'How likely a job with a deadline was said to be done by it, 0 to 1, at the first look at it; kept as it was told. last_deadline is the deadline as it was last seen before it had passed, null if it had none any more.';

create view fairbridge_v1.deadline_promises with (security_barrier) as
select p.cluster, p.job, p.account, p.user_name, p.partition, p.arrive as arrived, p.made, p.deadline, p.is_soft, p.chance, p.last_deadline, l.started, l.ended,
       case when p.last_deadline is distinct from p.deadline then 'changed'
            when l.ended is null and (p.deadline > (select w.at from fairbridge.watch w where w.cluster = p.cluster) or l.closed is null) then 'open'
            when l.ended is null and not l.closed then 'late'
            when l.state = 'COMPLETED' and l.ended <= p.deadline then 'met'
            when l.state = 'COMPLETED' then 'late'
            when l.state in ('CANCELLED', 'PREEMPTED') or l.ended is null then 'cancelled'
            when l.state in ('TIMEOUT', 'DEADLINE') then 'timeout'
            else 'failed' end as outcome
  from fairbridge.deadline_promises p left join lateral (
       select r.started, r.ended, r.state, r.closed from fairbridge.job_runs r where r.cluster = p.cluster and r.job = p.job and r.arrive = p.arrive
        order by r.submit desc, r.restarts desc limit 1) l on true
 where (select yes from fairbridge.sees_all) or (p.cluster, p.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.deadline_promises is 'Jobs with a deadline: how likely they were said to be done by it when they were first seen, and what came of it: met, late (done after it, or past it and not done), timeout (ended by its time limit, or by Slurm''s own deadline), failed, cancelled, changed (another deadline or none, before it had passed), open (not due yet). Of the last three nothing says whether the promise was good. Ask for a job, or for a stretch of made.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
