-- What operators did: an action is recorded with its author, and how it ended.
-- +goose Up

create table fairbridge.operator_actions (
    id        bigint generated always as identity primary key,
    cluster   text        not null,
    at        timestamptz not null default now(),
    kind      text        not null check (kind in ('stop', 'resume', 'mode', 'release_job', 'undo')),
    partition text        not null,
    mode      text        not null,
    job       text        not null,
    target    jsonb,
    change    bigint      not null,
    author    text        not null,
    origin    text        not null,
    why       text        not null,
    effect    text        not null,
    until     timestamptz,
    ended     timestamptz,
    ended_by  text        not null default ''
);
create index operator_actions_cluster on fairbridge.operator_actions (cluster, id);
create index operator_actions_standing on fairbridge.operator_actions (cluster) where ended is null;
comment on table fairbridge.operator_actions is 'What operators did: from at until it was ended or until came. One that had its effect at once (a resume, a mode as configured) ended when it was made. target is the job that was meant, as package bridge writes it.';

create view fairbridge_v1.operator_actions as
select cluster, id, at, kind, partition, mode, case when (select yes from fairbridge.sees_all) then job end as job, case when (select yes from fairbridge.sees_all) then change end as change,
       author, origin, case when (select yes from fairbridge.sees_all) then why end as why, case when (select yes from fairbridge.sees_all) then effect end as effect, until, ended, ended_by
  from fairbridge.operator_actions;
comment on view fairbridge_v1.operator_actions is 'What operators did and who: stop and resume, the mode of a partition lowered, a job released, a change undone (change: its id in intents); from at until ended, or until (null: until somebody ends it). Coordinators do not see of which job, and why.';

create or replace view fairbridge_v1.demotions as
select cluster, partition, since, until, demoted_by, case when (select yes from fairbridge.sees_all) then why end as why, cleared, cleared_by, cleared_why, candidate, 'observe'::text as mode
  from fairbridge.demotions
 union all
select cluster, partition, at, until, author, case when (select yes from fairbridge.sees_all) then why end, ended, ended_by, '', '', mode
  from fairbridge.operator_actions where kind = 'mode' and (ended is null or ended > at);
comment on view fairbridge_v1.demotions is 'Partitions that were lowered to a mode below the configured one (mode): by the guard to observe, or by an operator (operator_actions); from since until they were cleared or until came (null: it does not by itself), by whom and why (null for coordinators, since accounts may be named). Where candidate is not empty, it was not the partition but that candidate of its canary (policy with its parameters), in whose place the partition''s own policy decided.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
    if exists (select from pg_roles where rolname = 'fairbridge_coordinator') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_coordinator;
    end if;
end $$;
-- +goose StatementEnd
