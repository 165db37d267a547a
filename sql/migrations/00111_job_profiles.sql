-- What probes measured of jobs on their GPUs: policies that let jobs share GPUs fit their memory and
-- pair them by how busy they keep a GPU.
-- +goose Up

create table fairbridge.job_profiles (
    cluster    text             not null,
    job        bigint           not null,
    user_name  text             not null,
    class      text             not null,
    mem_mb     bigint           not null check (mem_mb >= 0),
    looks      bigint           not null check (looks >= 0),
    busy       double precision not null,
    mem_busy   double precision not null,
    first_seen timestamptz      not null,
    last_seen  timestamptz      not null,
    primary key (cluster, job, user_name, class)
);
create index job_profiles_class on fairbridge.job_profiles (cluster, user_name, class, last_seen);
create index job_profiles_seen on fairbridge.job_profiles (cluster, last_seen);
comment on table fairbridge.job_profiles is 'What probes measured of each job on one of its GPUs: most memory (mem_mb, MiB; 0: not known), and the means (0..1) of looks at which it was alone on them: how busy it kept them and their memory.';
