-- Readings by narrow rows that COPY takes fast, with who shares a GPU and who
-- holds one without using it; rolled up by hour, also late ones, and by run.
-- +goose Up
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

create table fairbridge.gpu_hours_due (
    cluster text        not null,
    hour    timestamptz not null,
    primary key (cluster, hour)
);
comment on table fairbridge.gpu_hours_due is 'Hours with readings that are not rolled up yet, late ones after an outage included.';

alter table fairbridge.gpu_hours
    add column known     int not null default 0,
    add column shared    int not null default 0,
    add column unused    int not null default 0,
    add column idle      int not null default 0,
    add column throttled int not null default 0,
    add column sick      int not null default 0;
update fairbridge.gpu_hours set known = samples where busy is not null;
comment on table fairbridge.gpu_hours is 'Readings rolled up per job and hour: means over readings, with their number. known had a utilisation of the job''s own, shared were of a GPU with other jobs (whose utilisation is nobody''s), unused had the job hold a GPU without a process on it, idle less than 1 % busy with one.';

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

insert into fairbridge.gpus (cluster, node, uuid, gpu_type)
select distinct cluster, node, uuid, gpu_type from fairbridge.gpu_samples;

-- +goose StatementBegin
create or replace function fairbridge.add_sample_day(day date) returns void language plpgsql as $$
begin
    execute format('create table if not exists fairbridge.%I partition of fairbridge.gpu_readings for values from (%L) to (%L)',
        'gpu_readings_' || to_char(day, 'YYYYMMDD'),
        day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function fairbridge.drop_sample_days(before date) returns int language plpgsql as $$
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

select fairbridge.add_sample_day(day) from (select distinct (at at time zone 'UTC')::date as day from fairbridge.gpu_samples) d;
insert into fairbridge.gpu_readings (at, job, gpu, busy, mem_used, watts, procs, sharing, sick)
select s.at, s.job, g.id, s.busy, s.mem_used, s.watts, null, (s.job <> 0)::int, false
  from fairbridge.gpu_samples s join fairbridge.gpus g using (cluster, node, uuid, gpu_type);
drop table fairbridge.gpu_samples;

create view fairbridge.gpu_samples as
select g.cluster, r.at, g.node, g.uuid, g.gpu_type, r.job, r.busy, r.mem_used, r.watts, r.procs, r.sharing, r.sick, r.throttled
  from fairbridge.gpu_readings r join fairbridge.gpus g on g.id = r.gpu;
comment on view fairbridge.gpu_samples is 'Raw readings with the names of their GPUs. A GPU that jobs share has a row for each.';

create or replace view fairbridge_v1.gpu_use_by_job_hour as
select cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts, known, shared, unused, idle, throttled, sick
  from fairbridge.gpu_hours;
comment on view fairbridge_v1.gpu_use_by_job_hour is 'Measured GPU use per job and hour: busy and mem_used are shares 0..1, watts the mean per GPU. Of the samples, known had a utilisation of the job''s own, unused held a GPU without a process on it, idle were less than 1 % busy with one.';

create view fairbridge_v1.gpu_use_by_run as
select u.cluster, u.job, u.restarts, to_timestamp(u.submit) as submitted, r.user_name, r.account, r.started, r.ended, u.gpu_type, u.gpus, u.samples,
       u.known, u.shared, u.unused, u.idle, u.throttled, u.sick, u.busy, u.busy_max, u.mem_used, u.watts
  from fairbridge.gpu_runs u join fairbridge.job_runs r using (cluster, job, submit, restarts);
comment on view fairbridge_v1.gpu_use_by_run is 'Measured GPU use of every ended run, by GPU type; columns as in gpu_use_by_job_hour.';

create view fairbridge_v1.gpu_gaps as select cluster, since, until, readings from fairbridge.gpu_gaps;
comment on view fairbridge_v1.gpu_gaps is 'When GPU readings were lost, and how many: measured use between since and until is incomplete.';

-- +goose Down
drop view fairbridge_v1.gpu_gaps;
drop view fairbridge_v1.gpu_use_by_run;
drop view fairbridge_v1.gpu_use_by_job_hour;
create view fairbridge_v1.gpu_use_by_job_hour as
select cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts from fairbridge.gpu_hours;
drop view fairbridge.gpu_samples;
create table fairbridge.gpu_samples (
    cluster  text        not null,
    at       timestamptz not null,
    node     text        not null,
    uuid     text        not null,
    gpu_type text        not null,
    job      bigint      not null,
    busy     real,
    mem_used real,
    watts    real,
    primary key (cluster, at, node, uuid)
) partition by range (at);
create index gpu_samples_job on fairbridge.gpu_samples (cluster, job, at);
-- +goose StatementBegin
create or replace function fairbridge.add_sample_day(day date) returns void language plpgsql as $$
begin
    execute format('create table if not exists fairbridge.%I partition of fairbridge.gpu_samples for values from (%L) to (%L)',
        'gpu_samples_' || to_char(day, 'YYYYMMDD'),
        day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function fairbridge.drop_sample_days(before date) returns int language plpgsql as $$
declare
    part text;
    n    int := 0;
begin
    for part in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'fairbridge.gpu_samples'::regclass and c.relname < 'gpu_samples_' || to_char(before, 'YYYYMMDD')
    loop
        execute format('drop table fairbridge.%I', part);
        n := n + 1;
    end loop;
    return n;
end $$;
-- +goose StatementEnd
drop table fairbridge.gpu_gaps, fairbridge.gpu_runs, fairbridge.gpu_hours_due, fairbridge.gpu_readings, fairbridge.gpus;
alter table fairbridge.gpu_hours drop column known, drop column shared, drop column unused, drop column idle, drop column throttled, drop column sick;
