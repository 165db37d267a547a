-- The schema of the first release: what is decided and done, what jobs used, what GPUs did,
-- what is learnt from it, what reports read.
-- +goose Up

create schema if not exists fairbridge;
comment on schema fairbridge is 'fairbridge''s own tables; they may change with any release. Reports use the views of schema fairbridge_v1.';

create schema fairbridge_v1;
comment on schema fairbridge_v1 is 'Report views of fairbridge, version 1. Columns are added at the end, never renamed, retyped or removed within version 1. Times are UTC instants; GPU amounts are whole GPUs.';

-- What we decided and did: who leads, cycles, decisions, the ledger of intents.
create table fairbridge.leader (
    cluster text primary key,
    epoch   bigint      not null check (epoch > 0),
    holder  text        not null,
    since   timestamptz not null,
    renewed timestamptz not null,
    expires timestamptz not null
);
comment on table fairbridge.leader is 'The one daemon per cluster that may write. The lease is judged by the clock of this database; the epoch grows whenever the lease changes hands or had run out.';

create table fairbridge.expiry (
    cluster text primary key,
    beat    timestamptz not null,
    led     timestamptz not null
);
comment on table fairbridge.expiry is 'When fairbridge expire, run by a timer, could last have given back what a dead daemon left (beat), and when a daemon was last seen to lead (led). Jobs are bound to nodes only while beat is fresh.';

create table fairbridge.cycles (
    cluster     text        not null,
    partition   text        not null,
    seq         bigint      not null check (seq > 0),
    epoch       bigint      not null,
    at          timestamptz not null,
    stored      timestamptz not null default clock_timestamp(),
    mode        text        not null,
    policy      text        not null,
    params      text        not null,
    digest      text        not null,
    snapshot    bytea,
    plan_digest text        not null,
    memo        json,
    decisions   int         not null,
    refused     jsonb       not null,
    pushed      int         not null,
    took        jsonb       not null,
    own_digest  text,
    primary key (cluster, partition, seq)
);
create index cycles_at on fairbridge.cycles (cluster, at);
alter table fairbridge.cycles alter column snapshot set storage external; -- is gzip already
comment on table fairbridge.cycles is 'One row per partition and cycle. snapshot is gzip of the canonical JSON whose SHA-256 is digest; null once its retention is over.';
comment on column fairbridge.cycles.own_digest is 'SHA-256 of the plan as the policy made it, before the gate; null in cycles of older releases. plan_digest is that of the plan the gate let through.';

create table fairbridge.decision_now (
    cluster   text   not null,
    partition text   not null,
    job       bigint not null,
    seq       bigint not null,
    verb      text   not null,
    rank      int    not null,
    gpus      int    not null,
    alloc     text   not null,
    room_for  bigint not null,
    why       text   not null,
    primary key (cluster, partition, job)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
comment on table fairbridge.decision_now is 'The decisions of the last cycle. seq is the cycle that last changed the row.';

create table fairbridge.decisions (
    cluster   text        not null,
    partition text        not null,
    job       bigint      not null,
    seq       bigint      not null,
    at        timestamptz not null,
    verb      text        not null,
    rank      int         not null,
    gpus      int         not null,
    alloc     text        not null,
    room_for  bigint      not null,
    why       text        not null,
    primary key (cluster, partition, job, seq)
);
create index decisions_job on fairbridge.decisions (cluster, job, at);
create index decisions_at on fairbridge.decisions using brin (at);
comment on table fairbridge.decisions is 'History of decisions: a row when a job''s verb, GPUs, place or beneficiary changed, with the rank and reason of that moment.';

create table fairbridge.intents (
    id        bigint generated always as identity primary key,
    cluster   text        not null,
    epoch     bigint      not null,
    partition text        not null,
    seq       bigint,
    place     int         not null,
    policy    text        not null,
    job       bigint      not null,
    submit    bigint      not null,
    restarts  int         not null,
    sluid     text        not null,
    field     text        not null,
    kind      text        not null,
    value     bigint      not null,
    until     timestamptz,
    nodes     text[]      not null,
    array_task text       not null,
    tasks     int         not null,
    why       text        not null,
    before    jsonb       not null,
    state     text        not null check (state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN', 'OBSERVED', 'FAILED', 'YIELDED', 'EXPIRED', 'VOID')),
    not_after timestamptz,
    made      timestamptz not null,
    sent      timestamptz,
    observed  timestamptz,
    closed    timestamptz,
    error     text        not null default '',
    polls     int         not null default 0,
    unique (cluster, partition, seq, place)
);
create unique index intents_one_open on fairbridge.intents (cluster, job, field) where state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN');
create index intents_live on fairbridge.intents (cluster, id) where closed is null;
create index intents_closed on fairbridge.intents (cluster, closed) where closed is not null;
create index intents_job on fairbridge.intents (cluster, job, id);
create index intents_made on fairbridge.intents (cluster, made);
comment on table fairbridge.intents is 'The write-ahead ledger: every change we meant to make in Slurm, written before it is sent. seq is the cycle it belongs to (null: a release). before holds what stood there.';

-- What jobs used: accounts, runs, segments.
create table fairbridge.account_sources (
    cluster text not null,
    name    text not null,
    parent  text not null default '',
    weight  double precision not null default 1 check (weight >= 0),
    qos     text[] not null default '{}',
    source  text not null default 'config' check (source in ('config', 'slurmdbd')),
    primary key (cluster, name, source)
);
comment on table fairbridge.account_sources is 'What each source says of accounts: weight is the account''s shares within its parent, parent '''' says nothing. Which one holds: fairbridge.accounts.';

create view fairbridge.accounts as
select coalesce(c.cluster, s.cluster) as cluster, coalesce(c.name, s.name) as name,
       coalesce(nullif(c.parent, ''), s.parent, '') as parent, coalesce(c.weight, s.weight) as weight
  from (select * from fairbridge.account_sources where source = 'config') c
  full join (select * from fairbridge.account_sources where source = 'slurmdbd') s on s.cluster = c.cluster and s.name = c.name;
comment on view fairbridge.accounts is 'Entitlements, one row an account: weight is the account''s shares within its parent. What the configuration says of an account overrides what slurmdbd says; an account to which it gives no parent keeps its place in slurmdbd''s tree.';

create table fairbridge.account_users (
    cluster   text not null,
    account   text not null,
    user_name text not null,
    weight    double precision check (weight >= 0),
    qos       text[] not null,
    primary key (cluster, account, user_name)
);
comment on table fairbridge.account_users is 'Users of accounts as slurmdbd has them: weight is the user''s shares within the account, null where the user shares the account''s own (fairshare=parent).';

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
    authority  boolean     not null default false,
    primary key (cluster, job, submit, restarts)
) with (fillfactor = 80);
create index job_runs_open on fairbridge.job_runs (cluster, job) where not closed;
create index job_runs_ended on fairbridge.job_runs (cluster, ended) where closed;
create index job_runs_started on fairbridge.job_runs (cluster, started) where started is not null;
comment on table fairbridge.job_runs is 'One row per run of a job: a requeue ends one run and begins another. submit is the run''s submit time in seconds since 1970, arrive the job''s first submission. exact is false where the end was inferred (the run vanished, or a later run was seen) and slurmdbd was not asked yet.';
comment on column fairbridge.job_runs.authority is 'The run is over and stands as slurmdbd has it. Polls no longer change it.';

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

create table fairbridge.imports (
    cluster text        not null,
    since   timestamptz not null,
    through timestamptz not null check (through > since),
    primary key (cluster, since)
);
comment on table fairbridge.imports is 'For which times slurmdbd''s rows were read. Reading begins again a while before the end of such a time, because slurmctld may report late.';

-- +goose StatementBegin
create function fairbridge.decayed(gpus double precision, oldest double precision, newest double precision, half_life double precision)
    returns double precision language sql immutable as $$
    select gpus * (half_life / ln(2::double precision)) * (exp(-ln(2::double precision) * newest / half_life) - exp(-ln(2::double precision) * oldest / half_life))
$$;
-- +goose StatementEnd
comment on function fairbridge.decayed is 'GPU-seconds of GPUs that were held from one age to another (seconds), counting half with every half-life: the integral of 2^(-age/half-life).';

-- What GPUs did: readings by day, rolled up by hour and by run.
create table fairbridge.gpus (
    id       int generated always as identity primary key,
    cluster  text not null,
    node     text not null,
    uuid     text not null,
    gpu_type text not null,
    unique (cluster, node, uuid, gpu_type)
);
comment on table fairbridge.gpus is 'Every GPU and MIG slice ever measured. One that moves to another node is another row.';

create table fairbridge.gpu_readings (
    at        timestamptz not null,
    job       bigint      not null,
    gpu       int         not null,
    busy      real,
    mem_used  real,
    watts     real,
    procs     smallint,
    sharing   smallint    not null,
    sick      boolean     not null,
    throttled boolean,
    primary key (at, gpu, job)
) partition by range (at);
create index gpu_readings_job on fairbridge.gpu_readings (job, at);
comment on table fairbridge.gpu_readings is 'Raw readings of a GPU (or MIG slice) and a job on it, one partition per day (UTC). job is 0 where nobody is; procs are the job''s processes on it, so that a job with 0 holds it without using it; sharing is how many jobs are on it. busy, mem_used and watts are the GPU''s, whoever shares it. null is unknown, never zero.';

create view fairbridge.gpu_samples as
select g.cluster, r.at, g.node, g.uuid, g.gpu_type, r.job, r.busy, r.mem_used, r.watts, r.procs, r.sharing, r.sick, r.throttled
  from fairbridge.gpu_readings r join fairbridge.gpus g on g.id = r.gpu;
comment on view fairbridge.gpu_samples is 'Raw readings with the names of their GPUs. A GPU that jobs share has a row for each.';

create table fairbridge.gpu_hours (
    cluster  text        not null,
    hour     timestamptz not null,
    job      bigint      not null,
    gpu_type text        not null,
    gpus     int         not null,
    samples  int         not null,
    busy     real,
    busy_max real,
    mem_used real,
    watts    real,
    known    int         not null default 0,
    shared   int         not null default 0,
    unused   int         not null default 0,
    idle     int         not null default 0,
    throttled int        not null default 0,
    sick     int         not null default 0,
    primary key (cluster, hour, job, gpu_type)
);
create index gpu_hours_job on fairbridge.gpu_hours (cluster, job, hour);
comment on table fairbridge.gpu_hours is 'Readings rolled up per job and hour: means over readings, with their number. known had a utilisation of the job''s own, shared were of a GPU with other jobs (whose utilisation is nobody''s), unused had the job hold a GPU without a process on it, idle less than 1 % busy with one.';

create table fairbridge.gpu_hours_due (
    cluster text        not null,
    hour    timestamptz not null,
    primary key (cluster, hour)
);
comment on table fairbridge.gpu_hours_due is 'Hours with readings that are not rolled up yet, late ones after an outage included.';

create table fairbridge.gpu_runs (
    cluster   text   not null,
    job       bigint not null,
    submit    bigint not null,
    restarts  int    not null,
    gpu_type  text   not null,
    gpus      int    not null,
    samples   int    not null,
    known     int    not null,
    shared    int    not null,
    unused    int    not null,
    idle      int    not null,
    throttled int    not null,
    sick      int    not null,
    busy      real,
    busy_max  real,
    mem_used  real,
    watts     real,
    primary key (cluster, job, submit, restarts, gpu_type)
);
comment on table fairbridge.gpu_runs is 'What was measured of each ended run, by GPU type: columns as in gpu_hours; gpus is the most at once in any hour.';

create table fairbridge.gpu_gaps (
    cluster  text        not null,
    since    timestamptz not null,
    until    timestamptz not null,
    readings bigint      not null check (readings > 0),
    primary key (cluster, since)
);
comment on table fairbridge.gpu_gaps is 'Readings that were lost: the database could not be reached for longer than the spool could hold.';

-- +goose StatementBegin
create function fairbridge.add_sample_day(day date) returns void language plpgsql as $$
begin
    execute format('create table if not exists fairbridge.%I partition of fairbridge.gpu_readings for values from (%L) to (%L)',
        'gpu_readings_' || to_char(day, 'YYYYMMDD'),
        day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;

create function fairbridge.drop_sample_days(before date) returns int language plpgsql as $$
declare
    part text;
    n    int := 0;
begin
    for part in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'fairbridge.gpu_readings'::regclass and c.relname < 'gpu_readings_' || to_char(before, 'YYYYMMDD')
    loop
        execute format('drop table fairbridge.%I', part);
        n := n + 1;
    end loop;
    return n;
end $$;
-- +goose StatementEnd
comment on function fairbridge.add_sample_day is 'Makes the partition of a day, if it is not there.';
comment on function fairbridge.drop_sample_days is 'Drops the partitions of days before the given one and returns how many.';

-- What was learnt from the record about run times, and what came of it.
create table fairbridge.models (
    id       bigint generated always as identity primary key,
    cluster  text        not null,
    version  int         not null,
    made     timestamptz not null,
    since    timestamptz not null,
    through  timestamptz not null,
    runs     int         not null,
    groups   int         not null,
    model    bytea       not null
);
create index models_newest on fairbridge.models (cluster, version, id);
alter table fairbridge.models alter column model set storage external; -- is gzip already
comment on table fairbridge.models is 'Models of run times, fitted to jobs that ended from since to through. version is that of the method; model is gzip of its JSON. The last few are kept.';

create table fairbridge.predictions (
    cluster   text        not null,
    job       bigint      not null,
    submit    bigint      not null,
    restarts  int         not null,
    model     bigint      not null,
    started   timestamptz not null,
    user_name text        not null,
    account   text        not null,
    limit_s   double precision,
    mean_s    double precision not null,
    sigma_s   double precision not null,
    p10_s     double precision not null,
    p50_s     double precision not null,
    p90_s     double precision not null,
    outcome   text,
    actual_s  double precision,
    primary key (cluster, job, submit, restarts)
);
create index predictions_open on fairbridge.predictions (cluster, job) where outcome is null;
create index predictions_started on fairbridge.predictions using brin (started);
comment on table fairbridge.predictions is 'What was predicted of a run at its start, in seconds from then, by a model older than the run. outcome is the state in which it ended, null until then; actual_s how long it ran, null where it was stopped instead of ending.';

-- What reports read: facts of every run and sums by day, made from the record. The record
-- stays the truth; every row here can be made again, and is whenever the record of its day
-- changes.
create table fairbridge.report_marks (
    id      bigint generated always as identity primary key,
    cluster text not null,
    day     date not null
);
comment on table fairbridge.report_marks is 'Days (UTC) whose record changed since they were summed up. Rows are only added, by triggers, and removed by the summing up that saw them: a change that commits meanwhile is not lost.';

create table fairbridge.report_state (
    cluster text primary key,
    as_of   timestamptz not null,
    made    timestamptz not null
);
comment on table fairbridge.report_state is 'How far the record was summed up: as_of is the last view that counts, made when it was done.';

create table fairbridge.run_facts (
    cluster    text        not null,
    job        bigint      not null,
    submit     bigint      not null,
    restarts   int         not null,
    arrive     timestamptz not null,
    started    timestamptz,
    ended      timestamptz not null,
    name       text        not null,
    user_name  text        not null,
    account    text        not null,
    partition  text        not null,
    state      text        not null,
    gpus       int         not null,
    limit_s    double precision,
    elapsed_s  double precision not null,
    gpu_s      double precision not null,
    measured_s double precision not null,
    busy_s     double precision not null,
    idle_s     double precision not null,
    held_s     double precision not null,
    mem_used   double precision,
    final      boolean     not null,
    work_s     double precision,
    contention double precision,
    slowdown   double precision,
    rho        double precision,
    stopped_by text,
    primary key (cluster, job, submit, restarts)
);
create index run_facts_ended on fairbridge.run_facts (cluster, ended);
comment on table fairbridge.run_facts is 'Every run that ended: what it held and, where probes measured, how that was used; amounts in seconds of whole GPUs (idle_s: less than 1 % busy, held_s: without a process). work_s is how long the job held its GPUs in all its runs, contention the mean demand for GPUs over their number while the job was there (null: unknown), slowdown and rho those of a job that is done, stopped_by who took the GPUs away (null: nobody).';

create table fairbridge.usage_days (
    cluster    text not null,
    day        date not null,
    account    text not null,
    user_name  text not null,
    partition  text not null,
    gpu_type   text not null,
    gpu_s      double precision not null,
    measured_s double precision not null,
    busy_s     double precision not null,
    idle_s     double precision not null,
    held_s     double precision not null,
    primary key (cluster, day, account, user_name, partition, gpu_type)
);
comment on table fairbridge.usage_days is 'GPU-seconds held per UTC day, and how they were used where probes measured.';

create table fairbridge.run_days (
    cluster    text not null,
    day        date not null,
    account    text not null,
    user_name  text not null,
    partition  text not null,
    runs       int not null,
    completed  int not null,
    failed     int not null,
    cancelled  int not null,
    timeouts   int not null,
    jobs       int not null,
    slowdown   double precision not null,
    rho        double precision not null,
    rho_jobs   int not null,
    rho_unfair int not null,
    limited    int not null,
    limit_s    double precision not null,
    limited_s  double precision not null,
    by_fairbridge int not null,
    by_slurm   int not null,
    by_node    int not null,
    by_other   int not null,
    lost_fairbridge_s double precision not null,
    lost_s     double precision not null,
    primary key (cluster, day, account, user_name, partition)
);
comment on table fairbridge.run_days is 'Runs by the UTC day they ended on: how, how slowly, how fairly, how well their limits fitted, who stopped them.';

create table fairbridge.wait_days (
    cluster   text not null,
    day       date not null,
    account   text not null,
    user_name text not null,
    partition text not null,
    jobs      int not null,
    wait_s    double precision not null,
    primary key (cluster, day, account, user_name, partition)
);
comment on table fairbridge.wait_days is 'Jobs by the UTC day of their first start, and how long they waited for it.';

create table fairbridge.spread_days (
    cluster   text not null,
    day       date not null,
    measure   text not null,
    account   text not null,
    partition text not null,
    bucket    int  not null,
    jobs      int  not null,
    primary key (cluster, day, measure, account, partition, bucket)
);
comment on table fairbridge.spread_days is 'Histograms that can be added up: bucket 0 is values below 1, bucket b from 2^((b-1)/4) to 2^(b/4), of seconds for waits and of hundredths for slowdown and rho.';

create table fairbridge.middle_days (
    cluster text not null,
    day     date not null,
    measure text not null,
    account text not null,
    p50     double precision not null,
    p95     double precision not null,
    most    double precision not null,
    primary key (cluster, day, measure, account)
);
comment on table fairbridge.middle_days is 'Median, 95th percentile and greatest value per account and day, exact.';

create table fairbridge.demand_hours (
    cluster text not null,
    hour    timestamptz not null,
    account text not null,
    gpu_s   double precision not null,
    primary key (cluster, hour, account)
);
comment on table fairbridge.demand_hours is 'GPUs asked for or held, times seconds, by hour and account.';

create table fairbridge.contention_hours (
    cluster text not null,
    hour    timestamptz not null,
    wanted  double precision not null,
    gpus    double precision,
    primary key (cluster, hour)
);
comment on table fairbridge.contention_hours is 'GPUs asked for or held on average in an hour, and the GPUs there were; null where no cycle has said.';

create table fairbridge.share_days (
    cluster  text not null,
    day      date not null,
    account  text not null,
    entitled double precision not null,
    used_s   double precision not null,
    wanted_s double precision not null,
    primary key (cluster, day, account)
);
comment on table fairbridge.share_days is 'What part of the cluster an account is entitled to (all accounts together: 1), with what it used and wanted, by UTC day.';

create table fairbridge.account_days (
    cluster text not null,
    day     date not null,
    name    text not null,
    parent  text not null,
    weight  double precision not null,
    primary key (cluster, day, name)
);
comment on table fairbridge.account_days is 'Entitlements as they were on a UTC day; for days before the first summing up, as they were then.';

create table fairbridge.capacity_hours (
    cluster   text not null,
    partition text not null,
    hour      timestamptz not null,
    gpu_type  text not null,
    looks     int  not null,
    gpus      double precision not null,
    held      double precision not null,
    idle      double precision not null,
    stranded  double precision not null,
    away      double precision not null,
    wanted    double precision not null,
    primary key (cluster, partition, hour, gpu_type)
);
comment on table fairbridge.capacity_hours is 'GPUs as cycles saw them, means over the looks of an hour; partition '''' is the whole cluster, each node once.';

create table fairbridge.start_estimates (
    cluster   text   not null,
    job       bigint not null,
    arrive    timestamptz not null,
    made      timestamptz not null,
    start     timestamptz not null,
    user_name text   not null,
    account   text   not null,
    partition text   not null,
    started   timestamptz,
    primary key (cluster, job, arrive, made)
);
create index start_estimates_made on fairbridge.start_estimates (cluster, made);
create index start_estimates_started on fairbridge.start_estimates (cluster, started);
comment on table fairbridge.start_estimates is 'When Slurm thought a waiting job would start, at one look an hour, and when it first did (as of the last summing up).';

create table fairbridge.capacity_state (
    cluster text primary key,
    seen    timestamptz not null
);
comment on table fairbridge.capacity_state is 'Up to which time snapshots were looked at for capacity_hours and start_estimates.';

create table fairbridge.decision_days (
    cluster text not null, day date not null, partition text not null, verb text not null, changes bigint not null,
    primary key (cluster, day, partition, verb)
);
comment on table fairbridge.decision_days is 'Changes of mind by UTC day, partition and verb.';

create table fairbridge.change_days (
    cluster text not null, day date not null, partition text not null, policy text not null, kind text not null, state text not null, changes bigint not null,
    primary key (cluster, day, partition, policy, kind, state)
);
comment on table fairbridge.change_days is 'Changes meant for Slurm by the UTC day they were made, and what came of them.';

-- Which days a change of the record touches.
-- +goose StatementBegin
create function fairbridge.mark(c text[], lo timestamptz[], hi timestamptz[]) returns void language sql as $$
    insert into fairbridge.report_marks (cluster, day)
    select distinct k.c, d::date
      from (select distinct c, date_trunc('day', least(lo, hi) at time zone 'UTC') as first, date_trunc('day', greatest(lo, hi) at time zone 'UTC') as last
              from unnest(c, lo, hi) as k (c, lo, hi) where lo is not null and hi is not null) k
     cross join lateral generate_series(k.first, least(k.last, k.first + interval '1000 days'), interval '1 day') as d
$$;

create function fairbridge.mark_runs() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform fairbridge.mark(array_agg(x.cluster), array_agg(x.lo), array_agg(x.hi)) from (
            select n.cluster,
                   case when (o.arrive, o.started, o.user_name, o.account, o.partition, o.gpus) is distinct from (n.arrive, n.started, n.user_name, n.account, n.partition, n.gpus)
                             or n.restarts > 0 then least(o.arrive, n.arrive)
                        else least(coalesce(o.ended, n.ended), n.ended) end as lo,
                   greatest(coalesce(o.ended, w.at, now()), coalesce(n.ended, w.at, now())) as hi
              from news n join olds o using (cluster, job, submit, restarts) left join fairbridge.watch w using (cluster)
             where (o.arrive, o.started, o.ended, o.closed, o.user_name, o.account, o.partition, o.gpus, o.time_limit)
                   is distinct from (n.arrive, n.started, n.ended, n.closed, n.user_name, n.account, n.partition, n.gpus, n.time_limit)
                or (n.closed and o.state <> n.state)) x;
    elsif tg_op = 'INSERT' then
        perform fairbridge.mark(array_agg(n.cluster), array_agg(n.arrive), array_agg(coalesce(n.ended, w.at, now())))
           from news n left join fairbridge.watch w using (cluster);
    else
        perform fairbridge.mark(array_agg(o.cluster), array_agg(o.arrive), array_agg(coalesce(o.ended, w.at, now())))
           from olds o left join fairbridge.watch w using (cluster) where o.started is not null; -- waits that are merely forgotten stay counted
    end if;
    return null;
end $$;

create function fairbridge.mark_segments() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform fairbridge.mark(array_agg(x.cluster), array_agg(x.lo), array_agg(x.hi)) from (
            select n.cluster,
                   case when (o.gpus, o.part, o.user_name, o.account, o.partition) is distinct from (n.gpus, n.part, n.user_name, n.account, n.partition) then n.started
                        else least(coalesce(o.stopped, n.stopped), coalesce(n.stopped, o.stopped)) end as lo,
                   greatest(coalesce(o.stopped, w.at, now()), coalesce(n.stopped, w.at, now()), r.ended) as hi
              from news n join olds o using (cluster, job, submit, restarts, node, gpu_type, started)
              left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts)) x;
    elsif tg_op = 'INSERT' then
        perform fairbridge.mark(array_agg(n.cluster), array_agg(n.started), array_agg(greatest(coalesce(n.stopped, w.at, now()), r.ended)))
           from news n left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts);
    else
        perform fairbridge.mark(array_agg(o.cluster), array_agg(o.started), array_agg(greatest(coalesce(o.stopped, w.at, now()), r.ended)))
           from olds o left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts);
    end if;
    return null;
end $$;

create function fairbridge.mark_gpu_hours() returns trigger language plpgsql as $$
begin
    perform fairbridge.mark(array_agg(x.cluster), array_agg(x.at), array_agg(x.at)) from (
        select distinct cluster, hour as at from news
        union select r.cluster, r.ended from news n join fairbridge.job_runs r on r.cluster = n.cluster and r.job = n.job and r.ended > n.hour and r.started < n.hour + interval '1 hour') x;
    return null;
end $$;
-- +goose StatementEnd
comment on function fairbridge.mark is 'Marks the days from lo to hi of clusters as changed.';
comment on function fairbridge.mark_runs is 'Trigger: a change of runs marks the days it touches.';
comment on function fairbridge.mark_segments is 'Trigger: a change of segments marks the days it touches.';
comment on function fairbridge.mark_gpu_hours is 'Trigger: newly measured hours mark their day, and the days their jobs ended on.';

create trigger mark_insert after insert on fairbridge.job_runs referencing new table as news for each statement execute function fairbridge.mark_runs();
create trigger mark_update after update on fairbridge.job_runs referencing old table as olds new table as news for each statement execute function fairbridge.mark_runs();
create trigger mark_delete after delete on fairbridge.job_runs referencing old table as olds for each statement execute function fairbridge.mark_runs();
create trigger mark_insert after insert on fairbridge.run_segments referencing new table as news for each statement execute function fairbridge.mark_segments();
create trigger mark_update after update on fairbridge.run_segments referencing old table as olds new table as news for each statement execute function fairbridge.mark_segments();
create trigger mark_delete after delete on fairbridge.run_segments referencing old table as olds for each statement execute function fairbridge.mark_segments();
create trigger mark_insert after insert on fairbridge.gpu_hours referencing new table as news for each statement execute function fairbridge.mark_gpu_hours();
create trigger mark_update after update on fairbridge.gpu_hours referencing new table as news for each statement execute function fairbridge.mark_gpu_hours();

-- How a day of the record is summed up: sum_day calls the others.
create view fairbridge.measured as
select x.cluster, x.job, x.submit, x.restarts, x.gpu_type, x.user_name, x.account, x.partition, x.hour,
       x.gpu_s * x.cover * x.known as measured_s, x.gpu_s * x.cover * x.known * coalesce(x.busy, 0) as busy_s,
       x.gpu_s * x.cover * x.idle as idle_s, x.gpu_s * x.cover * x.held as held_s,
       x.gpu_s * x.cover * x.known * x.mem_used as mem_s
  from (select s.cluster, s.job, s.submit, s.restarts, s.gpu_type, s.user_name, s.account, s.partition, h.hour, h.busy, h.mem_used,
               h.known::double precision / h.samples as known, h.idle::double precision / h.samples as idle, h.unused::double precision / h.samples as held,
               (s.gpus * s.part / 100.0 * extract(epoch from least(coalesce(s.stopped, w.at), h.hour + interval '1 hour') - greatest(s.started, h.hour)))::double precision as gpu_s,
               least(1, h.gpus::double precision / sum(s.gpus) over (partition by s.cluster, s.job, s.submit, s.restarts, s.gpu_type, h.hour)) as cover
          from fairbridge.run_segments s
          join fairbridge.watch w on w.cluster = s.cluster
          join fairbridge.gpu_hours h on h.cluster = s.cluster and h.job = s.job and h.gpu_type = s.gpu_type
                                     and h.hour > s.started - interval '1 hour' and h.hour < coalesce(s.stopped, w.at)
         where h.samples > 0) x
 where x.gpu_s > 0;
comment on view fairbridge.measured is 'GPU-seconds of a segment in an hour in which its GPUs were measured. Where only some of a job''s GPUs were, only so many count; nothing is assumed of the rest. idle_s: less than 1 % busy; held_s: no process at all.';

create view fairbridge.run_live as
select r.cluster, r.job, r.submit, r.restarts, r.arrive, r.started, r.ended, r.closed, r.name, r.user_name, r.account, r.partition, r.state, r.gpus,
       extract(epoch from r.time_limit)::double precision as limit_s, e.elapsed_s,
       coalesce(s.gpu_s, 0) as gpu_s, coalesce(m.measured_s, 0) as measured_s, coalesce(m.busy_s, 0) as busy_s, coalesce(m.idle_s, 0) as idle_s, coalesce(m.held_s, 0) as held_s,
       m.mem_s / nullif(m.measured_s, 0) as mem_used, r.closed and not coalesce(j.again, false) as final, j.work_s, d.contention,
       case when not r.closed or r.started is null or not (coalesce(j.again, false) or r.state in ('PREEMPTED', 'REQUEUED', 'NODE_FAIL', 'BOOT_FAIL')) then null
            when exists (select from fairbridge.intents i where i.cluster = r.cluster and i.job = r.job and i.submit = r.submit and i.restarts = r.restarts
                            and i.kind = 'requeue' and (i.observed is not null or i.state in ('SENT', 'ACKED', 'UNKNOWN'))) then 'fairbridge'
            when r.state in ('NODE_FAIL', 'BOOT_FAIL') then 'node'
            when r.state = 'PREEMPTED' then 'slurm'
            else 'other' end as stopped_by
  from fairbridge.job_runs r
  left join fairbridge.watch w on w.cluster = r.cluster
 cross join lateral (select greatest(coalesce(extract(epoch from coalesce(r.ended, case when not r.closed then w.at end) - r.started), 0), 0)::double precision as elapsed_s) e
  left join lateral (
       select sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started))::double precision as gpu_s
         from fairbridge.run_segments s
        where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts) s on true
  left join lateral (
       select sum(m.measured_s) as measured_s, sum(m.busy_s) as busy_s, sum(m.idle_s) as idle_s, sum(m.held_s) as held_s, sum(m.mem_s) as mem_s
         from fairbridge.measured m
        where m.cluster = r.cluster and m.job = r.job and m.submit = r.submit and m.restarts = r.restarts) m on true
  left join lateral (
       select bool_or((x.submit, x.restarts) > (r.submit, r.restarts)) as again,
              sum(extract(epoch from coalesce(x.ended, case when not x.closed then w.at end) - x.started))::double precision as work_s
         from fairbridge.job_runs x
        where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive) j on true
  left join lateral (
       select avg(greatest(1, h.wanted / nullif(h.gpus, 0))) as contention
         from fairbridge.contention_hours h
        where r.ended is not null and r.started is not null and h.cluster = r.cluster and h.hour >= date_trunc('hour', r.arrive) and h.hour < r.ended) d on true;
comment on view fairbridge.run_live is 'The facts of runs, worked out now. For few runs at a time; run_facts keeps those of runs that ended.';

create view fairbridge.first_waits as
select r.cluster, r.job, r.arrive, r.started, r.account, r.user_name, r.partition, greatest(extract(epoch from r.started - r.arrive), 0)::double precision as value
  from fairbridge.job_runs r
 where r.gpus > 0 and r.started is not null
   and (r.restarts = 0 or not exists (select from fairbridge.job_runs x where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and x.started < r.started));
comment on view fairbridge.first_waits is 'Each job''s wait from its first submission to its first start, seconds.';

-- +goose StatementBegin
create function fairbridge.sum_usage(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare seen timestamptz := (select at from fairbridge.watch where cluster = c);
begin
    delete from fairbridge.usage_days where cluster = c and day = d;
    insert into fairbridge.usage_days (cluster, day, account, user_name, partition, gpu_type, gpu_s, measured_s, busy_s, idle_s, held_s)
    select c, d, account, user_name, partition, gpu_type, sum(gpu_s), sum(measured_s), sum(busy_s), sum(idle_s), sum(held_s)
      from (select account, user_name, partition, gpu_type, (gpus * part / 100.0 * extract(epoch from least(stopped, hi) - greatest(started, lo)))::double precision as gpu_s,
                   0::double precision as measured_s, 0::double precision as busy_s, 0::double precision as idle_s, 0::double precision as held_s
              from fairbridge.run_segments where cluster = c and stopped is not null and stopped > lo and started < hi
             union all
            select account, user_name, partition, gpu_type, (gpus * part / 100.0 * extract(epoch from least(seen, hi) - greatest(started, lo)))::double precision, 0, 0, 0, 0
              from fairbridge.run_segments where cluster = c and stopped is null and seen > lo and started < least(seen, hi)
             union all
            select account, user_name, partition, gpu_type, 0, measured_s, busy_s, idle_s, held_s
              from fairbridge.measured where cluster = c and hour >= lo and hour < hi) x
     group by account, user_name, partition, gpu_type;
end $$;

create function fairbridge.sum_demand(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare seen timestamptz := (select at from fairbridge.watch where cluster = c);
begin
    delete from fairbridge.demand_hours where cluster = c and hour >= lo and hour < hi;
    insert into fairbridge.demand_hours (cluster, hour, account, gpu_s)
    select c, h.hour, x.account, sum(x.gpus * extract(epoch from least(x.until, h.hour + interval '1 hour') - greatest(x.since, h.hour)))
      from (select account, gpus, case when restarts = 0 then arrive else to_timestamp(submit) end as since, ended as until
              from fairbridge.job_runs where cluster = c and closed and ended > lo and gpus > 0 and arrive < hi
             union all
            select account, gpus, case when restarts = 0 then arrive else to_timestamp(submit) end, seen
              from fairbridge.job_runs where cluster = c and not closed and gpus > 0 and arrive < hi) x
     cross join lateral generate_series(greatest(date_trunc('hour', x.since), lo), least(x.until, hi - interval '1 second'), interval '1 hour') as h(hour)
     where x.since < hi and x.until > lo and x.until > h.hour
     group by h.hour, x.account;
    delete from fairbridge.contention_hours where cluster = c and hour >= lo and hour < hi;
    insert into fairbridge.contention_hours (cluster, hour, wanted, gpus)
    select c, h.hour, sum(h.gpu_s) / greatest(extract(epoch from least(seen, h.hour + interval '1 hour') - h.hour), 1),
           (select sum(k.gpus) from fairbridge.capacity_hours k where k.cluster = c and k.partition = '' and k.hour =
                coalesce((select max(b.hour) from fairbridge.capacity_hours b where b.cluster = c and b.partition = '' and b.hour <= h.hour),
                         (select min(b.hour) from fairbridge.capacity_hours b where b.cluster = c and b.partition = '')))
      from fairbridge.demand_hours h where h.cluster = c and h.hour >= lo and h.hour < hi group by h.hour;
end $$;

create function fairbridge.sum_facts(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    delete from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi;
    delete from fairbridge.run_facts f using fairbridge.job_runs r -- one whose end moved here from another day
     where r.cluster = c and r.closed and r.ended >= lo and r.ended < hi
       and f.cluster = c and f.job = r.job and f.submit = r.submit and f.restarts = r.restarts;
    insert into fairbridge.run_facts (cluster, job, submit, restarts, arrive, started, ended, name, user_name, account, partition, state, gpus, limit_s, elapsed_s,
                                      gpu_s, measured_s, busy_s, idle_s, held_s, mem_used, final, work_s, contention, slowdown, rho, stopped_by)
    select cluster, job, submit, restarts, arrive, started, ended, name, user_name, account, partition, state, gpus, limit_s, elapsed_s,
           gpu_s, measured_s, busy_s, idle_s, held_s, mem_used, final, work_s, contention,
           case when final and started is not null and gpus > 0 then greatest(extract(epoch from ended - arrive)::double precision / greatest(work_s, 10), 1) end,
           case when final and gpus > 0 and work_s > 0 then extract(epoch from ended - arrive)::double precision / (work_s * contention) end, stopped_by
      from fairbridge.run_live where cluster = c and closed and ended >= lo and ended < hi;
end $$;

create function fairbridge.sum_runs(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    delete from fairbridge.run_days where cluster = c and day = d;
    insert into fairbridge.run_days
    select c, d, account, user_name, partition, count(*), count(*) filter (where state = 'COMPLETED'),
           count(*) filter (where final and state in ('FAILED', 'OUT_OF_MEMORY', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE', 'LAUNCH_FAILED')),
           count(*) filter (where state = 'CANCELLED'), count(*) filter (where state = 'TIMEOUT'),
           count(slowdown), coalesce(sum(slowdown), 0), coalesce(sum(rho), 0), count(rho), count(*) filter (where rho > 1.05),
           count(*) filter (where fits), coalesce(sum(limit_s) filter (where fits), 0), coalesce(sum(elapsed_s) filter (where fits), 0),
           count(*) filter (where stopped_by = 'fairbridge'), count(*) filter (where stopped_by = 'slurm'),
           count(*) filter (where stopped_by = 'node'), count(*) filter (where stopped_by = 'other'),
           coalesce(sum(gpu_s) filter (where stopped_by = 'fairbridge'), 0), coalesce(sum(gpu_s) filter (where stopped_by is not null), 0)
      from (select *, state = 'COMPLETED' and limit_s > 0 as fits from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi) x
     group by account, user_name, partition;
    delete from fairbridge.wait_days where cluster = c and day = d;
    insert into fairbridge.wait_days
    select c, d, account, user_name, partition, count(*), sum(value) from fairbridge.first_waits where cluster = c and started >= lo and started < hi
     group by account, user_name, partition;
    update fairbridge.start_estimates e set started = null
     where e.cluster = c and e.started >= lo and e.started < hi
       and not exists (select from fairbridge.first_waits f where f.cluster = c and f.job = e.job and f.arrive = e.arrive and f.started = e.started);
    update fairbridge.start_estimates e set started = f.started
      from fairbridge.first_waits f
     where f.cluster = c and f.started >= lo and f.started < hi
       and e.cluster = c and e.job = f.job and e.arrive = f.arrive and e.started is distinct from f.started;
end $$;

create function fairbridge.sum_spreads(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    create temp table if not exists spread_now (measure text, account text, partition text, value double precision, scaled double precision) on commit drop;
    truncate spread_now;
    insert into spread_now
    select 'wait', account, partition, value, value from fairbridge.first_waits where cluster = c and started >= lo and started < hi
     union all
    select 'slowdown', account, partition, slowdown, slowdown * 100 from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi and slowdown is not null
     union all
    select 'rho', account, partition, rho, rho * 100 from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi and rho is not null;
    delete from fairbridge.spread_days where cluster = c and day = d;
    insert into fairbridge.spread_days
    select c, d, measure, account, partition, case when scaled < 1 then 0 else 1 + floor(4 * ln(scaled) / ln(2)) end, count(*) from spread_now group by 3, 4, 5, 6;
    delete from fairbridge.middle_days where cluster = c and day = d;
    insert into fairbridge.middle_days
    select c, d, measure, account, percentile_cont(0.5) within group (order by value), percentile_cont(0.95) within group (order by value), max(value)
      from spread_now group by measure, account;
end $$;

create function fairbridge.sum_shares(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    if d >= (select (as_of at time zone 'UTC')::date from fairbridge.report_state where cluster = c)
       or not exists (select from fairbridge.account_days where cluster = c and day = d) then
        delete from fairbridge.account_days where cluster = c and day = d;
        insert into fairbridge.account_days select c, d, name, parent, weight from fairbridge.accounts where cluster = c;
    end if;
    delete from fairbridge.share_days where cluster = c and day = d;
    insert into fairbridge.share_days (cluster, day, account, entitled, used_s, wanted_s)
    with recursive here as (
        select account, sum(used) as used, sum(wanted) as wanted
          from (select account, gpu_s as used, 0::double precision as wanted from fairbridge.usage_days where cluster = c and day = d
                 union all
                select account, 0, gpu_s from fairbridge.demand_hours where cluster = c and hour >= lo and hour < hi) x group by account
    ), listed as (
        select name as node, name as account, parent, case when weight > 0 then weight else 1 end as weight from fairbridge.account_days where cluster = c and day = d
    ), known as (
        select * from listed
         union all -- nothing is known of these: one share at the top
        select account, account, '', 1 from here where account not in (select account from listed)
         union all -- who has accounts below and runs jobs too is one more of those below
        select account || ' itself', account, account, 1 from here where account in (select parent from listed)
    ), parts as (
        select k.node, k.account, case when k.parent in (select node from listed) then k.parent else '' end as parent, k.weight from known k
    ), shares as (
        select node, account, parent, weight / sum(weight) over (partition by parent) as part from parts
    ), tree as (
        select node, account, part from shares where parent = ''
         union all
        select n.node, n.account, t.part * n.part from tree t join shares n on n.parent = t.node
    )
    select c, d, t.account, t.part, coalesce(h.used, 0), coalesce(h.wanted, 0)
      from tree t left join here h using (account)
     where not exists (select from shares x where x.parent = t.node);
end $$;

create function fairbridge.sum_changes(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare since timestamptz := coalesce((select as_of from fairbridge.report_state where cluster = c), '-infinity');
begin
    if hi > since - interval '1 day' then -- older ones do not change, but may be forgotten already
        delete from fairbridge.decision_days where cluster = c and day = d;
        insert into fairbridge.decision_days
        select c, d, partition, verb, count(*) from fairbridge.decisions where cluster = c and at >= lo and at < hi group by partition, verb;
    end if;
    if hi > since - interval '1 day' or exists (
            select from fairbridge.intents where cluster = c and made >= lo and made < hi and (closed is null or closed >= since - interval '1 day')) then
        delete from fairbridge.change_days where cluster = c and day = d;
        insert into fairbridge.change_days
        select c, d, partition, policy, kind, state, count(*) from fairbridge.intents where cluster = c and made >= lo and made < hi group by partition, policy, kind, state;
    end if;
end $$;

create function fairbridge.sum_day(c text, d date) returns void language plpgsql as $$
declare
    lo timestamptz := d::timestamp at time zone 'UTC';
    hi timestamptz := (d + 1)::timestamp at time zone 'UTC';
begin
    perform fairbridge.sum_usage(c, d, lo, hi);
    perform fairbridge.sum_demand(c, d, lo, hi);
    perform fairbridge.sum_facts(c, d, lo, hi);
    perform fairbridge.sum_runs(c, d, lo, hi);
    perform fairbridge.sum_spreads(c, d, lo, hi);
    perform fairbridge.sum_shares(c, d, lo, hi);
    perform fairbridge.sum_changes(c, d, lo, hi);
    delete from fairbridge.report_marks where cluster = c and day = d;
end $$;
-- +goose StatementEnd
comment on function fairbridge.sum_usage is 'Sums up usage_days of a day.';
comment on function fairbridge.sum_demand is 'Sums up demand_hours and contention_hours of a day.';
comment on function fairbridge.sum_facts is 'Works out run_facts of the runs that ended on a day.';
comment on function fairbridge.sum_runs is 'Sums up run_days and wait_days of a day, and notes first starts beside their estimates.';
comment on function fairbridge.sum_spreads is 'Sums up spread_days and middle_days of a day.';
comment on function fairbridge.sum_shares is 'Sums up share_days of a day; entitlements of past days are kept in account_days.';
comment on function fairbridge.sum_changes is 'Counts decisions and changes of a day, unless it is so old that they may be forgotten.';
comment on function fairbridge.sum_day is 'Makes everything that reports keep of a day (UTC) anew from the record. Call it in a repeatable read transaction: marks that commit meanwhile then stay.';

-- Who sees whose rows.
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

-- The contract: views that keep their columns within a major version.
create view fairbridge.stale_days as
select cluster, day from fairbridge.report_marks
 union
select w.cluster, d::date
  from fairbridge.watch w left join fairbridge.report_state s using (cluster)
 cross join lateral generate_series(date_trunc('day', coalesce(s.as_of, (select min(x.started) from fairbridge.run_segments x where x.cluster = w.cluster)) at time zone 'UTC'),
                                    w.at at time zone 'UTC', interval '1 day') as d;
comment on view fairbridge.stale_days is 'Days whose sums may be behind the record: marked ones and those since the last summing up.';

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

create view fairbridge.shares as
select s.*, s.entitled * sum(s.used_s) over (partition by s.cluster, s.day) / nullif(sum(s.entitled) filter (where s.wanted_s > 0 or s.used_s > 0) over (partition by s.cluster, s.day), 0) as due_s,
       sum(s.used_s) over (partition by s.cluster, s.day) as all_s
  from fairbridge.share_days s;
comment on view fairbridge.shares is 'Shares with what was due of what was used: by entitlement, among the accounts that wanted something.';

create view fairbridge_v1.runs with (security_barrier) as
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

create view fairbridge_v1.segments with (security_barrier) as
select s.cluster, s.job, s.restarts, s.node, s.gpu_type, s.gpus, s.part as percent_of_gpu, s.user_name, s.account, s.partition,
       s.started, s.stopped, greatest(coalesce(s.stopped, w.at), s.started) as known_until
  from fairbridge.run_segments s left join fairbridge.watch w using (cluster)
 where (select yes from fairbridge.sees_all) or (s.cluster, s.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.segments is 'Who held which GPUs from when to when; stopped is null while they are held.';

create view fairbridge_v1.usage_by_user_day with (security_barrier) as
select u.cluster, u.day, u.account, u.user_name, u.gpu_type, (sum(u.gpu_s) / 3600)::double precision as gpu_hours
  from fairbridge.usage_now u
 where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees)
 group by u.cluster, u.day, u.account, u.user_name, u.gpu_type;
comment on view fairbridge_v1.usage_by_user_day is 'GPU-hours per UTC day, account, user and GPU type, split exactly at midnight, as of the last poll.';

create view fairbridge_v1.usage_by_account_day as
select cluster, day, account, gpu_type, sum(gpu_hours) as gpu_hours
  from fairbridge_v1.usage_by_user_day group by cluster, day, account, gpu_type;
comment on view fairbridge_v1.usage_by_account_day is 'GPU-hours per UTC day, account and GPU type.';

create view fairbridge_v1.cycles as
select cluster, partition, seq, epoch, at, mode, policy, params, decisions, jsonb_array_length(refused) as refused, pushed, took, digest
  from fairbridge.cycles;
comment on view fairbridge_v1.cycles is 'Every cycle: what policy ran on what (digest of its snapshot), how many decisions, refusals of the gate and changes meant for Slurm; took maps steps to durations.';

create view fairbridge_v1.decisions_latest with (security_barrier) as
select d.cluster, d.partition, d.job, d.verb, d.rank, d.gpus, d.alloc as place, nullif(d.room_for, 0) as makes_room_for, d.why, d.seq as since_cycle
  from fairbridge.decision_now d where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = d.cluster and r.job = d.job);
comment on view fairbridge_v1.decisions_latest is 'What the last cycle of each partition decided about every job, and why.';

create view fairbridge_v1.decisions with (security_barrier) as
select d.cluster, d.partition, d.job, d.seq, d.at, d.verb, d.rank, d.gpus, d.alloc as place, nullif(d.room_for, 0) as makes_room_for, d.why
  from fairbridge.decisions d where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = d.cluster and r.job = d.job);
comment on view fairbridge_v1.decisions is 'History of decisions: one row per change of verb, GPUs, place or beneficiary.';

create view fairbridge_v1.queue_now with (security_barrier) as
select d.cluster, d.partition, d.rank, d.job, r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, d.verb, d.alloc as place, d.why,
       r.arrive as arrived, r.started, r.time_limit
  from fairbridge.decision_now d
  left join lateral (select r.name, r.user_name, r.account, r.qos, r.state, r.reason, r.gpus, r.arrive, r.started, r.time_limit from fairbridge.job_runs r
                      where r.cluster = d.cluster and r.job = d.job order by r.submit desc, r.restarts desc limit 1) r on true
 where (select yes from fairbridge.sees_all) or (d.cluster, r.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.queue_now is 'The queue as of the last cycle: order by partition, rank.';

create view fairbridge_v1.intents with (security_barrier) as
select i.id, i.cluster, i.partition, i.seq, i.policy, i.job, i.restarts, i.kind, i.field, i.value, i.until, i.nodes, i.why, i.state, i.error, i.made, i.sent, i.observed,
       i.closed, i.not_after
  from fairbridge.intents i where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = i.cluster and r.job = i.job);
comment on view fairbridge_v1.intents is 'Every change we meant to make in Slurm and what came of it.';

create view fairbridge_v1.intents_open as
select * from fairbridge_v1.intents where state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN');
comment on view fairbridge_v1.intents_open is 'Changes whose outcome is still to be seen.';

create view fairbridge_v1.leader as
select cluster, epoch, holder, since, renewed, expires, expires > now() as alive from fairbridge.leader;
comment on view fairbridge_v1.leader is 'Which daemon leads each cluster.';

create view fairbridge_v1.gpu_use_by_job_hour with (security_barrier) as
select h.cluster, h.hour, h.job, h.gpu_type, h.gpus, h.samples, h.busy, h.busy_max, h.mem_used, h.watts, h.known, h.shared, h.unused, h.idle, h.throttled, h.sick
  from fairbridge.gpu_hours h where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = h.cluster and r.job = h.job);
comment on view fairbridge_v1.gpu_use_by_job_hour is 'Measured GPU use per job and hour: busy and mem_used are shares 0..1, watts the mean per GPU. Of the samples, known had a utilisation of the job''s own, unused held a GPU without a process on it, idle were less than 1 % busy with one.';

create view fairbridge_v1.gpu_use_by_run with (security_barrier) as
select u.cluster, u.job, u.restarts, to_timestamp(u.submit) as submitted, r.user_name, r.account, r.started, r.ended, u.gpu_type, u.gpus, u.samples,
       u.known, u.shared, u.unused, u.idle, u.throttled, u.sick, u.busy, u.busy_max, u.mem_used, u.watts
  from fairbridge.gpu_runs u join fairbridge.job_runs r using (cluster, job, submit, restarts)
 where (select yes from fairbridge.sees_all) or (r.cluster, r.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.gpu_use_by_run is 'Measured GPU use of every ended run, by GPU type; columns as in gpu_use_by_job_hour.';

create view fairbridge_v1.gpu_gaps as select cluster, since, until, readings from fairbridge.gpu_gaps;
comment on view fairbridge_v1.gpu_gaps is 'When GPU readings were lost, and how many: measured use between since and until is incomplete.';

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

create view fairbridge_v1.predictions with (security_barrier) as
select p.cluster, p.job, p.restarts, p.user_name, p.account, p.started, p.model, p.limit_s, p.mean_s, p.sigma_s, p.p10_s, p.p50_s, p.p90_s, p.outcome, p.actual_s,
       p.p50_s - p.actual_s as error_s, p.actual_s between p.p10_s and p.p90_s as within_80
  from fairbridge.predictions p
 where (select yes from fairbridge.sees_all) or (p.cluster, p.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.predictions is 'How long each run was predicted to take when it started (mean, its standard error, 10, 50 and 90 % quantiles) and how long it took; actual_s is null while it runs and where it was stopped.';

create view fairbridge_v1.prediction_scores with (security_barrier) as
select p.cluster, p.account, p.user_name, count(*) as runs,
       avg(abs(p.p50_s - p.actual_s)) as mean_error_s,
       percentile_cont(0.5) within group (order by abs(p.p50_s - p.actual_s) / greatest(p.actual_s, 1)) as median_relative_error,
       exp(avg(abs(ln(greatest(p.p50_s, 1) / greatest(p.actual_s, 1))))) as mean_factor,
       exp(avg(abs(ln(greatest(p.limit_s, 1) / greatest(p.actual_s, 1))))) as mean_factor_of_limit,
       avg((p.actual_s <= p.p10_s)::int)::double precision as below_p10,
       avg((p.actual_s <= p.p50_s)::int)::double precision as below_p50,
       avg((p.actual_s <= p.p90_s)::int)::double precision as below_p90,
       avg((p.actual_s between p.p10_s and p.p90_s)::int)::double precision as within_80
  from fairbridge.watch w join fairbridge.predictions p on p.cluster = w.cluster and p.started > w.at - interval '30 days'
 where p.actual_s is not null
   and ((select yes from fairbridge.sees_all) or (p.cluster, p.account) in (select cluster, account from fairbridge.sees))
 group by p.cluster, p.account, p.user_name;
comment on view fairbridge_v1.prediction_scores is 'How good predictions at start were in the 30 days before the last poll, by account and user: errors of the median prediction, the factor by which it was off on average beside that of the time limit, and calibration: below_p10 should be near 0.1, below_p50 near 0.5, below_p90 near 0.9, within_80 near 0.8.';

create view fairbridge_v1.prediction_models as
select cluster, id as model, version, made, since, through, runs, groups from fairbridge.models;
comment on view fairbridge_v1.prediction_models is 'The last models of run times: when each was made, and from which jobs.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
