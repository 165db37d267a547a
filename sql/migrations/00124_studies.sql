-- What policies would have done with a partition's own jobs, as an administrator had it simulated.
-- +goose Up

create table fairbridge.studies (
    id        bigint generated always as identity primary key,
    cluster   text        not null,
    partition text        not null,
    made      timestamptz not null default now(),
    author    text        not null,
    since     timestamptz not null,
    until     timestamptz not null,
    fidelity  text        not null check (fidelity in ('slurm', 'exact')),
    seeds     int         not null,
    about     text        not null,
    accuracy  text        not null,
    remarks   text[]      not null default '{}',
    lines     jsonb       not null
);
create index studies_made on fairbridge.studies (cluster, partition, made);
comment on table fairbridge.studies is 'What policies would have done with the jobs of a partition from since to until, as fairbridge replay simulated it and an administrator had it stored. lines has a policy each, with figures of all jobs together and none of a user or account; about says what was simulated, accuracy how near a simulation of what was done came to what happened, remarks what no simulation follows.';
