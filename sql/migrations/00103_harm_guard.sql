-- What the harm guard measured, and which partitions are demoted.
-- +goose Up

create table fairbridge.guard_checks (
    cluster   text        not null,
    partition text        not null,
    at        timestamptz not null,
    verdict   text        not null,
    reasons   text[]      not null,
    since     timestamptz,
    until     timestamptz,
    policy    text        not null,
    mode      text        not null,
    jobs      int         not null,
    stops     int         not null,
    seeds     int         not null,
    figures   jsonb       not null,
    remarks   text[]      not null,
    primary key (cluster, partition, at)
);
comment on table fairbridge.guard_checks is 'Checks of the harm guard: what jobs really met while a policy was live, beside what the simulation says Slurm alone would have done.';

create table fairbridge.demotions (
    id          bigint      generated always as identity primary key,
    cluster     text        not null,
    partition   text        not null,
    since       timestamptz not null,
    until       timestamptz,
    demoted_by  text        not null,
    why         text        not null,
    cleared     timestamptz,
    cleared_by  text        not null default '',
    cleared_why text        not null default ''
);
create index demotions_cluster on fairbridge.demotions (cluster, since);
comment on table fairbridge.demotions is 'Partitions that were lowered to mode observe whatever the configuration says, until they were cleared or a time (until) came.';

create view fairbridge_v1.guard_checks as
select cluster, partition, at, verdict, case when (select yes from fairbridge.sees_all) then reasons end as reasons, since, until, policy, mode, jobs, stops
  from fairbridge.guard_checks;
comment on view fairbridge_v1.guard_checks is 'Checks of the harm guard, of the jobs that arrived from since to until: whether they fared worse with our plans live than with Slurm alone (harm, no harm, cannot tell), and why (null for coordinators, since accounts are named).';

create view fairbridge_v1.guard_figures with (security_barrier) as
select c.cluster, c.partition, c.at, f.kind, coalesce(f.account, '') as account, coalesce(f.size, '') as size, f.jobs, f.live, f.slurm_alone, f.own_error, f.band, f.bound, f.claim
  from fairbridge.guard_checks c
 cross join lateral jsonb_to_recordset(c.figures) as f (kind text, account text, size text, jobs int, live double precision, slurm_alone double precision,
       own_error double precision, band double precision, bound double precision, claim text)
 where (select yes from fairbridge.sees_all) or f.account is null or (c.cluster, f.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.guard_figures is 'The figures of each check: the mean wait in seconds, the mean slowdown, or the percent of GPUs idle while jobs waited (kind), of all jobs, of an account or of a size; as it was (live), as Slurm alone would have made it by the simulation, how far that is off what was really done (own_error) and may be off (band, on either side), and how much more is allowed (bound).';

create view fairbridge_v1.demotions as
select cluster, partition, since, until, demoted_by, case when (select yes from fairbridge.sees_all) then why end as why, cleared, cleared_by, cleared_why
  from fairbridge.demotions;
comment on view fairbridge_v1.demotions is 'Partitions that were lowered to mode observe whatever the configuration says: from since until they were cleared or until came (null: it does not by itself), by whom and why (null for coordinators, since accounts may be named).';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
