-- What jobs used: accounts, runs, segments.
-- +goose Up
create table fairbridge.accounts (
    cluster text not null,
    name    text not null,
    parent  text not null default '',
    weight  double precision not null default 1 check (weight >= 0),
    primary key (cluster, name)
);
comment on table fairbridge.accounts is 'Entitlements: weight is the account''s shares within its parent.';

create table fairbridge.watch (
    cluster   text primary key,
    at        timestamptz not null,
    before    timestamptz not null,
    full_at   timestamptz,
    release   text not null,
    api       text not null,
    rewritten bigint not null default 0
);
comment on table fairbridge.watch is 'The last view of each cluster that was recorded, by Slurm''s clock. An open segment reaches to at; before is the view before that. rewritten grows whenever a segment that ended more than 12 hours ago is written: sums over old segments are then stale.';

create table fairbridge.job_runs (
    cluster    text        not null,
    job        bigint      not null,
    submit     bigint      not null,
    restarts   int         not null,
    arrive     timestamptz not null,
    sluid      text        not null,
    name       text        not null,
    user_name  text        not null,
    account    text        not null,
    qos        text        not null,
    partition  text        not null,
    array_job  bigint      not null,
    array_task bigint      not null,
    state      text        not null,
    reason     text        not null,
    time_limit interval,
    gpus       int         not null,
    started    timestamptz,
    ended      timestamptz,
    closed     boolean     not null,
    exact      boolean     not null,
    first_seen timestamptz not null,
    last_change timestamptz not null,
    digest     bigint      not null,
    primary key (cluster, job, submit, restarts)
) with (fillfactor = 80);
create index job_runs_open on fairbridge.job_runs (cluster, job) where not closed;
create index job_runs_ended on fairbridge.job_runs (cluster, ended) where closed;
comment on table fairbridge.job_runs is 'One row per run of a job: a requeue ends one run and begins another. submit is the run''s submit time in seconds since 1970, arrive the job''s first submission. exact is false where the end was inferred (the run vanished, or a later run was seen).';

create table fairbridge.run_segments (
    cluster   text        not null,
    job       bigint      not null,
    submit    bigint      not null,
    restarts  int         not null,
    node      text        not null,
    gpu_type  text        not null,
    started   timestamptz not null,
    stopped   timestamptz check (stopped >= started),
    gpus      int         not null check (gpus > 0),
    part      int         not null check (part between 1 and 100),
    user_name text        not null,
    account   text        not null,
    partition text        not null,
    primary key (cluster, job, submit, restarts, node, gpu_type, started)
) with (fillfactor = 80);
create index run_segments_open on fairbridge.run_segments (cluster) where stopped is null;
create index run_segments_stopped on fairbridge.run_segments (cluster, stopped)
    include (started, gpus, part, user_name, account) where stopped is not null;
comment on table fairbridge.run_segments is 'GPUs of one type on one node held by one run from started to stopped (null: still held, known up to watch.at). part is percent of a whole GPU each device is. Totals are always computed from these rows.';

-- +goose Down
drop table fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch, fairbridge.accounts;
