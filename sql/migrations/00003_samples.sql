-- What GPUs did: raw samples by day, rolled up per run and hour.
-- +goose Up
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
comment on table fairbridge.gpu_samples is 'Raw GPU readings, one partition per day (UTC). job is 0 on an idle GPU; busy and mem_used are shares 0..1; null is unknown, never zero.';

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
    primary key (cluster, hour, job, gpu_type)
);
create index gpu_hours_job on fairbridge.gpu_hours (cluster, job, hour);
comment on table fairbridge.gpu_hours is 'Samples rolled up per job and hour: means over samples, with their number.';

-- +goose StatementBegin
create function fairbridge.add_sample_day(day date) returns void language plpgsql as $$
begin
    execute format('create table if not exists fairbridge.%I partition of fairbridge.gpu_samples for values from (%L) to (%L)',
        'gpu_samples_' || to_char(day, 'YYYYMMDD'),
        day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;
-- +goose StatementEnd
comment on function fairbridge.add_sample_day is 'Makes the partition of a day, if it is not there.';

-- +goose StatementBegin
create function fairbridge.drop_sample_days(before date) returns int language plpgsql as $$
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
comment on function fairbridge.drop_sample_days is 'Drops the partitions of days before the given one and returns how many.';

-- +goose Down
drop function fairbridge.drop_sample_days(date);
drop function fairbridge.add_sample_day(date);
drop table fairbridge.gpu_hours, fairbridge.gpu_samples;
