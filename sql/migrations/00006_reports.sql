-- What reports read: facts of every run and sums by day, made from the record
-- by fairbridge.sum_up. The record stays the truth; every row here can be made
-- again, and is whenever the record of its day changes.
-- +goose Up
create table fairbridge.report_marks (
    id      bigint generated always as identity primary key,
    cluster text not null,
    day     date not null
);
comment on table fairbridge.report_marks is 'Days (UTC) whose record changed since they were summed up. Rows are only added, by triggers, and removed by the summing up that saw them: a change that commits meanwhile is not lost.';

create table fairbridge.report_state (
    cluster text primary key,
    as_of   timestamptz not null,
    made    timestamptz not null
);
comment on table fairbridge.report_state is 'How far the record was summed up: as_of is the last view that counts, made when it was done.';

create table fairbridge.run_facts (
    cluster    text        not null,
    job        bigint      not null,
    submit     bigint      not null,
    restarts   int         not null,
    arrive     timestamptz not null,
    started    timestamptz,
    ended      timestamptz not null,
    name       text        not null,
    user_name  text        not null,
    account    text        not null,
    partition  text        not null,
    state      text        not null,
    gpus       int         not null,
    limit_s    double precision,
    elapsed_s  double precision not null,
    gpu_s      double precision not null,
    measured_s double precision not null,
    busy_s     double precision not null,
    idle_s     double precision not null,
    held_s     double precision not null,
    mem_used   double precision,
    final      boolean     not null,
    work_s     double precision,
    contention double precision,
    slowdown   double precision,
    rho        double precision,
    stopped_by text,
    primary key (cluster, job, submit, restarts)
);
create index run_facts_ended on fairbridge.run_facts (cluster, ended);
comment on table fairbridge.run_facts is 'Every run that ended: what it held and, where probes measured, how that was used; amounts in seconds of whole GPUs (idle_s: less than 1 % busy, held_s: without a process). work_s is how long the job held its GPUs in all its runs, contention the mean demand for GPUs over their number while the job was there (null: unknown), slowdown and rho those of a job that is done, stopped_by who took the GPUs away (null: nobody).';

create table fairbridge.usage_days (
    cluster    text not null,
    day        date not null,
    account    text not null,
    user_name  text not null,
    partition  text not null,
    gpu_type   text not null,
    gpu_s      double precision not null,
    measured_s double precision not null,
    busy_s     double precision not null,
    idle_s     double precision not null,
    held_s     double precision not null,
    primary key (cluster, day, account, user_name, partition, gpu_type)
);
comment on table fairbridge.usage_days is 'GPU-seconds held per UTC day, and how they were used where probes measured.';

create table fairbridge.run_days (
    cluster    text not null,
    day        date not null,
    account    text not null,
    user_name  text not null,
    partition  text not null,
    runs       int not null,
    completed  int not null,
    failed     int not null,
    cancelled  int not null,
    timeouts   int not null,
    jobs       int not null,
    slowdown   double precision not null,
    rho        double precision not null,
    rho_jobs   int not null,
    rho_unfair int not null,
    limited    int not null,
    limit_s    double precision not null,
    limited_s  double precision not null,
    by_fairbridge int not null,
    by_slurm   int not null,
    by_node    int not null,
    by_other   int not null,
    lost_fairbridge_s double precision not null,
    lost_s     double precision not null,
    primary key (cluster, day, account, user_name, partition)
);
comment on table fairbridge.run_days is 'Runs by the UTC day they ended on: how, how slowly, how fairly, how well their limits fitted, who stopped them.';

create table fairbridge.wait_days (
    cluster   text not null,
    day       date not null,
    account   text not null,
    user_name text not null,
    partition text not null,
    jobs      int not null,
    wait_s    double precision not null,
    primary key (cluster, day, account, user_name, partition)
);
comment on table fairbridge.wait_days is 'Jobs by the UTC day of their first start, and how long they waited for it.';

create table fairbridge.spread_days (
    cluster   text not null,
    day       date not null,
    measure   text not null,
    account   text not null,
    partition text not null,
    bucket    int  not null,
    jobs      int  not null,
    primary key (cluster, day, measure, account, partition, bucket)
);
comment on table fairbridge.spread_days is 'Histograms that can be added up: bucket 0 is values below 1, bucket b from 2^((b-1)/4) to 2^(b/4), of seconds for waits and of hundredths for slowdown and rho.';

create table fairbridge.middle_days (
    cluster text not null,
    day     date not null,
    measure text not null,
    account text not null,
    p50     double precision not null,
    p95     double precision not null,
    most    double precision not null,
    primary key (cluster, day, measure, account)
);
comment on table fairbridge.middle_days is 'Median, 95th percentile and greatest value per account and day, exact.';

create table fairbridge.demand_hours (
    cluster text not null,
    hour    timestamptz not null,
    account text not null,
    gpu_s   double precision not null,
    primary key (cluster, hour, account)
);
comment on table fairbridge.demand_hours is 'GPUs asked for or held, times seconds, by hour and account.';

create table fairbridge.contention_hours (
    cluster text not null,
    hour    timestamptz not null,
    wanted  double precision not null,
    gpus    double precision,
    primary key (cluster, hour)
);
comment on table fairbridge.contention_hours is 'GPUs asked for or held on average in an hour, and the GPUs there were; null where no cycle has said.';

create table fairbridge.share_days (
    cluster  text not null,
    day      date not null,
    account  text not null,
    entitled double precision not null,
    used_s   double precision not null,
    wanted_s double precision not null,
    primary key (cluster, day, account)
);
comment on table fairbridge.share_days is 'What part of the cluster an account is entitled to (all accounts together: 1), with what it used and wanted, by UTC day.';

create table fairbridge.account_days (
    cluster text not null,
    day     date not null,
    name    text not null,
    parent  text not null,
    weight  double precision not null,
    primary key (cluster, day, name)
);
comment on table fairbridge.account_days is 'Entitlements as they were on a UTC day; for days before the first summing up, as they were then.';

create table fairbridge.capacity_hours (
    cluster   text not null,
    partition text not null,
    hour      timestamptz not null,
    gpu_type  text not null,
    looks     int  not null,
    gpus      double precision not null,
    held      double precision not null,
    idle      double precision not null,
    stranded  double precision not null,
    away      double precision not null,
    wanted    double precision not null,
    primary key (cluster, partition, hour, gpu_type)
);
comment on table fairbridge.capacity_hours is 'GPUs as cycles saw them, means over the looks of an hour; partition '''' is the whole cluster, each node once.';

create table fairbridge.start_estimates (
    cluster   text   not null,
    job       bigint not null,
    arrive    timestamptz not null,
    made      timestamptz not null,
    start     timestamptz not null,
    user_name text   not null,
    account   text   not null,
    partition text   not null,
    started   timestamptz,
    primary key (cluster, job, arrive, made)
);
create index start_estimates_made on fairbridge.start_estimates (cluster, made);
create index start_estimates_started on fairbridge.start_estimates (cluster, started);
comment on table fairbridge.start_estimates is 'When Slurm thought a waiting job would start, at one look an hour, and when it first did (as of the last summing up).';

create table fairbridge.capacity_state (
    cluster text primary key,
    seen    timestamptz not null
);
comment on table fairbridge.capacity_state is 'Up to which time snapshots were looked at for capacity_hours and start_estimates.';

create table fairbridge.decision_days (
    cluster text not null, day date not null, partition text not null, verb text not null, changes bigint not null,
    primary key (cluster, day, partition, verb)
);
comment on table fairbridge.decision_days is 'Changes of mind by UTC day, partition and verb.';

create table fairbridge.change_days (
    cluster text not null, day date not null, partition text not null, policy text not null, kind text not null, state text not null, changes bigint not null,
    primary key (cluster, day, partition, policy, kind, state)
);
comment on table fairbridge.change_days is 'Changes meant for Slurm by the UTC day they were made, and what came of them.';

create index job_runs_started on fairbridge.job_runs (cluster, started) where started is not null;

-- Which days a change of the record touches.
-- +goose StatementBegin
create function fairbridge.mark(c text[], lo timestamptz[], hi timestamptz[]) returns void language sql as $$
    insert into fairbridge.report_marks (cluster, day)
    select distinct k.c, d::date
      from (select distinct c, date_trunc('day', least(lo, hi) at time zone 'UTC') as first, date_trunc('day', greatest(lo, hi) at time zone 'UTC') as last
              from unnest(c, lo, hi) as k (c, lo, hi) where lo is not null and hi is not null) k
     cross join lateral generate_series(k.first, least(k.last, k.first + interval '1000 days'), interval '1 day') as d
$$;
-- +goose StatementEnd
comment on function fairbridge.mark is 'Marks the days from lo to hi of clusters as changed.';

-- +goose StatementBegin
create function fairbridge.mark_runs() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform fairbridge.mark(array_agg(x.cluster), array_agg(x.lo), array_agg(x.hi)) from (
            select n.cluster,
                   case when (o.arrive, o.started, o.user_name, o.account, o.partition, o.gpus) is distinct from (n.arrive, n.started, n.user_name, n.account, n.partition, n.gpus)
                             or n.restarts > 0 then least(o.arrive, n.arrive)
                        else least(coalesce(o.ended, n.ended), n.ended) end as lo,
                   greatest(coalesce(o.ended, w.at, now()), coalesce(n.ended, w.at, now())) as hi
              from news n join olds o using (cluster, job, submit, restarts) left join fairbridge.watch w using (cluster)
             where (o.arrive, o.started, o.ended, o.closed, o.user_name, o.account, o.partition, o.gpus, o.time_limit)
                   is distinct from (n.arrive, n.started, n.ended, n.closed, n.user_name, n.account, n.partition, n.gpus, n.time_limit)
                or (n.closed and o.state <> n.state)) x;
    elsif tg_op = 'INSERT' then
        perform fairbridge.mark(array_agg(n.cluster), array_agg(n.arrive), array_agg(coalesce(n.ended, w.at, now())))
           from news n left join fairbridge.watch w using (cluster);
    else
        perform fairbridge.mark(array_agg(o.cluster), array_agg(o.arrive), array_agg(coalesce(o.ended, w.at, now())))
           from olds o left join fairbridge.watch w using (cluster) where o.started is not null; -- waits that are merely forgotten stay counted
    end if;
    return null;
end $$;

create function fairbridge.mark_segments() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform fairbridge.mark(array_agg(x.cluster), array_agg(x.lo), array_agg(x.hi)) from (
            select n.cluster,
                   case when (o.gpus, o.part, o.user_name, o.account, o.partition) is distinct from (n.gpus, n.part, n.user_name, n.account, n.partition) then n.started
                        else least(coalesce(o.stopped, n.stopped), coalesce(n.stopped, o.stopped)) end as lo,
                   greatest(coalesce(o.stopped, w.at, now()), coalesce(n.stopped, w.at, now()), r.ended) as hi
              from news n join olds o using (cluster, job, submit, restarts, node, gpu_type, started)
              left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts)) x;
    elsif tg_op = 'INSERT' then
        perform fairbridge.mark(array_agg(n.cluster), array_agg(n.started), array_agg(greatest(coalesce(n.stopped, w.at, now()), r.ended)))
           from news n left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts);
    else
        perform fairbridge.mark(array_agg(o.cluster), array_agg(o.started), array_agg(greatest(coalesce(o.stopped, w.at, now()), r.ended)))
           from olds o left join fairbridge.watch w using (cluster) left join fairbridge.job_runs r using (cluster, job, submit, restarts);
    end if;
    return null;
end $$;

create function fairbridge.mark_gpu_hours() returns trigger language plpgsql as $$
begin
    perform fairbridge.mark(array_agg(x.cluster), array_agg(x.at), array_agg(x.at)) from (
        select distinct cluster, hour as at from news
        union select r.cluster, r.ended from news n join fairbridge.job_runs r on r.cluster = n.cluster and r.job = n.job and r.ended > n.hour and r.started < n.hour + interval '1 hour') x;
    return null;
end $$;
-- +goose StatementEnd
comment on function fairbridge.mark_runs is 'Trigger: a change of runs marks the days it touches.';
comment on function fairbridge.mark_segments is 'Trigger: a change of segments marks the days it touches.';
comment on function fairbridge.mark_gpu_hours is 'Trigger: newly measured hours mark their day, and the days their jobs ended on.';

create trigger mark_insert after insert on fairbridge.job_runs referencing new table as news for each statement execute function fairbridge.mark_runs();
create trigger mark_update after update on fairbridge.job_runs referencing old table as olds new table as news for each statement execute function fairbridge.mark_runs();
create trigger mark_delete after delete on fairbridge.job_runs referencing old table as olds for each statement execute function fairbridge.mark_runs();
create trigger mark_insert after insert on fairbridge.run_segments referencing new table as news for each statement execute function fairbridge.mark_segments();
create trigger mark_update after update on fairbridge.run_segments referencing old table as olds new table as news for each statement execute function fairbridge.mark_segments();
create trigger mark_delete after delete on fairbridge.run_segments referencing old table as olds for each statement execute function fairbridge.mark_segments();
create trigger mark_insert after insert on fairbridge.gpu_hours referencing new table as news for each statement execute function fairbridge.mark_gpu_hours();
create trigger mark_update after update on fairbridge.gpu_hours referencing new table as news for each statement execute function fairbridge.mark_gpu_hours();

-- What is there already is to be summed up.
insert into fairbridge.report_marks (cluster, day)
select distinct r.cluster, d::date
  from fairbridge.job_runs r left join fairbridge.watch w using (cluster)
 cross join lateral generate_series(date_trunc('day', r.arrive at time zone 'UTC'), coalesce(r.ended, w.at, now()) at time zone 'UTC', interval '1 day') as d;

-- +goose Down
drop trigger mark_insert on fairbridge.job_runs;
drop trigger mark_update on fairbridge.job_runs;
drop trigger mark_delete on fairbridge.job_runs;
drop trigger mark_insert on fairbridge.run_segments;
drop trigger mark_update on fairbridge.run_segments;
drop trigger mark_delete on fairbridge.run_segments;
drop trigger mark_insert on fairbridge.gpu_hours;
drop trigger mark_update on fairbridge.gpu_hours;
drop function fairbridge.mark_gpu_hours();
drop function fairbridge.mark_segments();
drop function fairbridge.mark_runs();
drop function fairbridge.mark(text[], timestamptz[], timestamptz[]);
drop index fairbridge.job_runs_started;
drop table fairbridge.change_days, fairbridge.decision_days, fairbridge.capacity_state, fairbridge.start_estimates, fairbridge.capacity_hours, fairbridge.share_days, fairbridge.account_days,
           fairbridge.contention_hours, fairbridge.demand_hours, fairbridge.middle_days, fairbridge.spread_days, fairbridge.wait_days, fairbridge.run_days,
           fairbridge.usage_days, fairbridge.run_facts, fairbridge.report_state, fairbridge.report_marks;
