-- What we decided and did: who leads, cycles, decisions, the ledger of intents.
-- +goose Up
create schema if not exists fairbridge;
comment on schema fairbridge is 'fairbridge''s own tables; they may change with any release. Reports use the views of schema fairbridge_v1.';

create table fairbridge.leader (
    cluster text primary key,
    epoch   bigint      not null check (epoch > 0),
    holder  text        not null,
    since   timestamptz not null,
    renewed timestamptz not null,
    expires timestamptz not null
);
comment on table fairbridge.leader is 'The one daemon per cluster that may write. The lease is judged by the clock of this database; the epoch grows whenever the lease changes hands or had run out.';

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
    primary key (cluster, partition, seq)
);
create index cycles_at on fairbridge.cycles (cluster, at);
alter table fairbridge.cycles alter column snapshot set storage external; -- is gzip already
comment on table fairbridge.cycles is 'One row per partition and cycle. snapshot is gzip of the canonical JSON whose SHA-256 is digest; null once its retention is over.';

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
comment on table fairbridge.intents is 'The write-ahead ledger: every change we meant to make in Slurm, written before it is sent. seq is the cycle it belongs to (null: a release). before holds what stood there.';

-- +goose Down
drop table fairbridge.intents, fairbridge.decisions, fairbridge.decision_now, fairbridge.cycles, fairbridge.leader;
