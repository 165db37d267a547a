-- The record: what slurmdbd, the authority on the past, says of runs.
-- +goose Up
alter table fairbridge.job_runs add column authority boolean not null default false;
comment on column fairbridge.job_runs.authority is 'The run is over and stands as slurmdbd has it. Polls no longer change it.';
comment on table fairbridge.job_runs is 'One row per run of a job: a requeue ends one run and begins another. submit is the run''s submit time in seconds since 1970, arrive the job''s first submission. exact is false where the end was inferred (the run vanished, or a later run was seen) and slurmdbd was not asked yet.';

create table fairbridge.imports (
    cluster text        not null,
    since   timestamptz not null,
    through timestamptz not null check (through > since),
    primary key (cluster, since)
);
comment on table fairbridge.imports is 'For which times slurmdbd''s rows were read. Reading begins again a while before the end of such a time, because slurmctld may report late.';

alter table fairbridge.accounts add column qos text[] not null default '{}',
    add column source text not null default 'config' check (source in ('config', 'slurmdbd')),
    drop constraint accounts_pkey, add primary key (cluster, name, source);
comment on table fairbridge.accounts is 'Entitlements: weight is the account''s shares within its parent. What the configuration says of an account overrides what slurmdbd says.';

create table fairbridge.account_users (
    cluster   text not null,
    account   text not null,
    user_name text not null,
    weight    double precision check (weight >= 0),
    qos       text[] not null,
    primary key (cluster, account, user_name)
);
comment on table fairbridge.account_users is 'Users of accounts as slurmdbd has them: weight is the user''s shares within the account, null where the user shares the account''s own (fairshare=parent).';

-- +goose Down
drop table fairbridge.account_users, fairbridge.imports;
delete from fairbridge.accounts where source <> 'config';
alter table fairbridge.accounts drop constraint accounts_pkey, drop column qos, drop column source, add primary key (cluster, name);
alter table fairbridge.job_runs drop column authority;
