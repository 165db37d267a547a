-- An edit may write a text: why a job waits, in the job's own admin_comment.
-- +goose Up

alter table fairbridge.intents add column text text not null default '';
comment on column fairbridge.intents.text is 'The text that was written into the job''s own admin_comment; empty: it was cleared, or the kind of change has none.';

create or replace view fairbridge_v1.intents with (security_barrier) as
select i.id, i.cluster, i.partition, i.seq, i.policy, i.job, i.restarts, i.kind, i.field, i.value, i.until, i.nodes, i.why, i.state, i.error, i.made, i.sent, i.observed,
       i.closed, i.not_after, i.text
  from fairbridge.intents i where (select yes from fairbridge.sees_all) or exists (select from fairbridge.job_runs r join fairbridge.sees v using (cluster, account) where r.cluster = i.cluster and r.job = i.job);
comment on view fairbridge_v1.intents is 'Every change we meant to make in Slurm and what came of it.';

create or replace view fairbridge_v1.intents_open as
select * from fairbridge_v1.intents where state in ('PLANNED', 'SENT', 'ACKED', 'UNKNOWN');
comment on view fairbridge_v1.intents_open is 'Changes whose outcome is still to be seen.';
