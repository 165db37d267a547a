-- How fast jobs were on which GPUs, by their own reports: what is known of a job on other sizes
-- outlives its runs, and helps later jobs of its class.
-- +goose Up

create table fairbridge.job_speeds (
    cluster     text             not null,
    job         bigint           not null,
    user_name   text             not null,
    class       text             not null,
    gpu_type    text             not null,
    gpus        int              not null check (gpus > 0),
    nodes       int              not null,
    batch       int              not null,
    reports     bigint           not null,
    mean        double precision not null,
    m2          double precision not null,
    batch_range jsonb,
    first_seen  timestamptz      not null,
    last_seen   timestamptz      not null,
    primary key (cluster, job, user_name, class, gpu_type, gpus, nodes, batch)
);
create index job_speeds_last_seen on fairbridge.job_speeds (cluster, last_seen);
comment on table fairbridge.job_speeds is 'Speeds that jobs reported, in steps per second: by what they ran on. nodes is 0 where they were as few as can be, batch 0 where it was not told; mean and m2 (sum of squared distances from it) are of so many reports; batch_range is the newest of what the job said of its batch sizes, as package policy writes it.';
