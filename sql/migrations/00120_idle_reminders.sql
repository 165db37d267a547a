-- GPUs that are idle now, said once for reports and reminders; and which owners were told of theirs.
-- +goose Up

-- +goose StatementBegin
create function fairbridge_v1.idle_gpus(of_cluster text, at_time timestamptz)
returns table (job bigint, restarts int, user_name text, account text, partition text, gpu_type text, node text, uuid text, idle_since timestamptz, idle_until timestamptz)
language sql stable as $$
with readings as (
    select u.*, u.at - lag(u.at) over (partition by u.job, u.restarts, u.user_name, u.account, u.partition, u.gpu_type, u.node, u.uuid order by u.at) > interval '5 minutes' as after_gap
      from fairbridge_v1.gpu_readings u
     where u.cluster = of_cluster and u.at > at_time - interval '30 minutes' and u.at <= at_time and (u.ended is null or u.ended > at_time)
), gpus as (
    select r.job, r.restarts, r.user_name, r.account, r.partition, r.gpu_type, r.node, r.uuid, max(r.at) as last_at,
           coalesce(max(r.at) filter (where r.busy is null or r.busy >= 0.01 or r.after_gap), min(r.at)) as since
      from readings r
     group by r.job, r.restarts, r.user_name, r.account, r.partition, r.gpu_type, r.node, r.uuid
)
select g.job, g.restarts, g.user_name, g.account, g.partition, g.gpu_type, g.node, g.uuid,
       case when g.last_at > at_time - interval '5 minutes' then g.since else g.last_at end, g.last_at
  from gpus g
$$;
-- +goose StatementEnd
comment on function fairbridge_v1.idle_gpus is 'Every GPU (or MIG slice) that a run held and that was read in the 30 minutes before a time: from idle_since to idle_until, the last reading, it was less than 1 % busy in every reading, and none was more than 5 minutes after the one before. Equal times: it is not idle, or was not read for 5 minutes. What was not measured, or is shared, counts as busy.';

create table fairbridge.idle_spells (
    cluster  text        not null,
    job      bigint      not null,
    restarts int         not null,
    node     text        not null,
    uuid     text        not null,
    gpu_type text        not null,
    since    timestamptz not null,
    until    timestamptz not null,
    primary key (cluster, job, node, uuid, gpu_type)
);
comment on table fairbridge.idle_spells is 'GPUs that were idle at the last look of the daemon that leads, and since when without a break: readings of 30 minutes are looked at, so that longer spells are put together look by look.';

create table fairbridge.idle_messages (
    id        bigint generated always as identity primary key,
    cluster   text        not null,
    user_name text        not null,
    at        timestamptz not null,
    state     text        not null check (state in ('claimed', 'sent', 'failed')),
    sent_by   text[]      not null default '{}',
    error     text        not null default ''
);
create index idle_messages_at on fairbridge.idle_messages (cluster, at);
comment on table fairbridge.idle_messages is 'Messages to owners of idle GPUs. Each is claimed before it is sent, and none is sent that is not claimed: one that stays claimed may have been sent or not, and is not sent again.';

create table fairbridge.idle_reminders (
    cluster    text             not null,
    job        bigint           not null,
    step_s     bigint           not null,
    message    bigint           not null references fairbridge.idle_messages on delete cascade,
    at         timestamptz      not null,
    user_name  text             not null,
    account    text             not null,
    partition  text             not null,
    gpus       int              not null,
    idle_since timestamptz      not null,
    idle_gpu_s double precision not null default 0,
    outcome    text             not null default 'idle' check (outcome in ('idle', 'busy', 'ended')),
    closed     timestamptz,
    primary key (cluster, job, step_s)
);
create index idle_reminders_open on fairbridge.idle_reminders (cluster, job) where closed is null;
create index idle_reminders_message on fairbridge.idle_reminders (message);
comment on table fairbridge.idle_reminders is 'Which owners were told that a job''s GPUs are idle, once for each step of a job. gpus were idle for step_s or longer when it was told; idle_gpu_s is what they and the job''s others were idle after it, until the next step was told or the job was no longer idle; outcome says how that ended.';

create view fairbridge_v1.idle_reminders with (security_barrier) as
select i.cluster, i.job, i.step_s, i.at, i.user_name, i.account, i.partition, i.gpus, i.idle_since, i.idle_gpu_s, i.outcome, i.closed, m.state
  from fairbridge.idle_reminders i join fairbridge.idle_messages m on m.id = i.message
 where (select yes from fairbridge.sees_all) or (i.cluster, i.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.idle_reminders is 'Reminders of idle GPUs, one for each step of a job. idle_gpu_s counts until the next step was told or the job was busy or ended; state is that of the message: sent, failed, or claimed, of which it is not known.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
