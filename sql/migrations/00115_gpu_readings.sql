-- What was measured of the GPUs that runs hold, reading by reading.
-- +goose Up

create view fairbridge_v1.gpu_readings with (security_barrier) as
select g.cluster, s.at, s.job, r.restarts, r.user_name, r.account, r.partition, r.started, r.ended, g.node, g.uuid, g.gpu_type,
       case when s.sharing <= 1 then s.busy end as busy, s.procs, s.sharing
  from fairbridge.gpu_readings s join fairbridge.gpus g on g.id = s.gpu
  join fairbridge.job_runs r on r.cluster = g.cluster and r.job = s.job and r.started <= s.at and (r.ended is null or s.at <= r.ended)
 where s.job <> 0 and ((select yes from fairbridge.sees_all) or (r.cluster, r.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.gpu_readings is 'Each reading of a GPU (or MIG slice) that a run held, as long as readings are kept. busy is a part 0..1, null where it was not measured or where jobs shared the GPU, whose utilisation is then no job''s own; procs are the job''s processes on it. Ask for a stretch of at.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
