-- What jobs reported of their training loss: policies that go by it need the whole curve, of
-- earlier runs too.
-- +goose Up

create table fairbridge.job_losses (
    cluster     text             not null,
    job         bigint           not null,
    user_name   text             not null,
    step        double precision not null,
    loss        double precision not null,
    total_steps double precision not null,
    at          timestamptz      not null,
    primary key (cluster, job, user_name, step)
);
create index job_losses_at on fairbridge.job_losses (cluster, at);
comment on table fairbridge.job_losses is 'Training losses that jobs reported, by step, as the job defines them: a bounded number of each job, thinned evenly. total_steps is 0 where it was not told.';
