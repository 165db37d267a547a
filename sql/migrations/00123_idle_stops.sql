-- Requeues of jobs whose GPUs did no work, for reports.
-- +goose Up

create index intents_idle_stops on fairbridge.intents (cluster, sent) where kind = 'requeue' and before -> 'stop' -> 'idle' is not null;

create view fairbridge_v1.idle_stops with (security_barrier) as
select i.cluster, i.sent, i.job, i.restarts, i.partition, r.user_name, r.account, r.gpus, (i.before -> 'stop' ->> 'idle')::double precision / 1e9 as idle_s, (i.before -> 'stop' ->> 'for')::bigint as for_job, i.state
  from fairbridge.intents i join fairbridge.job_runs r on r.cluster = i.cluster and r.job = i.job and r.submit = i.submit and r.restarts = i.restarts
 where i.kind = 'requeue' and i.before -> 'stop' -> 'idle' is not null and i.sent is not null
   and ((select yes from fairbridge.sees_all) or (i.cluster, r.account) in (select cluster, account from fairbridge.sees));
comment on view fairbridge_v1.idle_stops is 'Requeues that were sent because all GPUs of a run did no work: for idle_s seconds, for the job for_job, which waited for them. state is what came of it: OBSERVED was seen to work.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
