-- Free GPUs that waiting jobs cannot use, hour by hour: it tells whether large jobs wait for GPUs or for GPUs
-- that stand together.
-- +goose Up

alter table fairbridge.capacity_hours add column unusable double precision, add column unusable_mean double precision, add column blocked double precision;
comment on column fairbridge.capacity_hours.unusable is 'Free GPUs that no waiting job could use, though some would take the type; null: hours before this was measured.';

create or replace view fairbridge_v1.gpus_by_hour as
select cluster, nullif(partition, '') as partition, hour, gpu_type, looks, gpus, held as held_gpus, idle as idle_gpus, stranded as stranded_gpus, away as unavailable_gpus, wanted as wanted_gpus,
       unusable as unusable_gpus, unusable_mean as mean_unusable_gpus, blocked as blocked_gpus
  from fairbridge.capacity_hours;
comment on view fairbridge_v1.gpus_by_hour is 'GPUs as cycles saw them, means of the hour: held by jobs, idle, stranded (idle, but the node has no cores or memory left to use them), unavailable (node down or drained, GPU sick), and wanted by jobs that could start. Fragmentation: unusable are free GPUs that none of the waiting jobs could use where they are, though some would take the type; mean_unusable are those that a waiting job could not use, on average over waiting jobs; blocked are GPUs that waiting jobs ask for which could not start although as many were free where they may run (these three null: before this was measured). Counted in devices. partition null is the whole cluster, each node once.';
