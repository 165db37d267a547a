-- What restarts of ours cost jobs: it decides when a change of size is worth one.
-- +goose Up

create table fairbridge.restart_costs (
    cluster   text             not null,
    job       bigint           not null,
    requeued  timestamptz      not null,
    user_name text             not null,
    account   text             not null,
    class     text             not null,
    seconds   double precision not null check (seconds >= 0),
    primary key (cluster, job, requeued)
);
create index restart_costs_requeued on fairbridge.restart_costs (cluster, requeued);
comment on table fairbridge.restart_costs is 'Seconds without progress by a requeue of ours (sent at requeued): until the job could start again, and from its start to its first report of the speed it had. What it waited in between is not counted.';
