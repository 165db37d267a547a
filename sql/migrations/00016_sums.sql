-- How a day of the record is summed up. See fairbridge.sum_day, at the end.
-- +goose Up
create view fairbridge.measured as
select x.cluster, x.job, x.submit, x.restarts, x.gpu_type, x.user_name, x.account, x.partition, x.hour,
       x.gpu_s * x.cover * x.known as measured_s, x.gpu_s * x.cover * x.known * coalesce(x.busy, 0) as busy_s,
       x.gpu_s * x.cover * x.idle as idle_s, x.gpu_s * x.cover * x.held as held_s,
       x.gpu_s * x.cover * x.known * x.mem_used as mem_s
  from (select s.cluster, s.job, s.submit, s.restarts, s.gpu_type, s.user_name, s.account, s.partition, h.hour, h.busy, h.mem_used,
               h.known::double precision / h.samples as known, h.idle::double precision / h.samples as idle, h.unused::double precision / h.samples as held,
               (s.gpus * s.part / 100.0 * extract(epoch from least(coalesce(s.stopped, w.at), h.hour + interval '1 hour') - greatest(s.started, h.hour)))::double precision as gpu_s,
               least(1, h.gpus::double precision / sum(s.gpus) over (partition by s.cluster, s.job, s.submit, s.restarts, s.gpu_type, h.hour)) as cover
          from fairbridge.run_segments s
          join fairbridge.watch w on w.cluster = s.cluster
          join fairbridge.gpu_hours h on h.cluster = s.cluster and h.job = s.job and h.gpu_type = s.gpu_type
                                     and h.hour > s.started - interval '1 hour' and h.hour < coalesce(s.stopped, w.at)
         where h.samples > 0) x
 where x.gpu_s > 0;
comment on view fairbridge.measured is 'GPU-seconds of a segment in an hour in which its GPUs were measured. Where only some of a job''s GPUs were, only so many count; nothing is assumed of the rest. idle_s: less than 1 % busy; held_s: no process at all.';

create view fairbridge.run_live as
select r.cluster, r.job, r.submit, r.restarts, r.arrive, r.started, r.ended, r.closed, r.name, r.user_name, r.account, r.partition, r.state, r.gpus,
       extract(epoch from r.time_limit)::double precision as limit_s, e.elapsed_s,
       coalesce(s.gpu_s, 0) as gpu_s, coalesce(m.measured_s, 0) as measured_s, coalesce(m.busy_s, 0) as busy_s, coalesce(m.idle_s, 0) as idle_s, coalesce(m.held_s, 0) as held_s,
       m.mem_s / nullif(m.measured_s, 0) as mem_used, r.closed and not coalesce(j.again, false) as final, j.work_s, d.contention,
       case when not r.closed or r.started is null or not (coalesce(j.again, false) or r.state in ('PREEMPTED', 'REQUEUED', 'NODE_FAIL', 'BOOT_FAIL')) then null
            when exists (select from fairbridge.intents i where i.cluster = r.cluster and i.job = r.job and i.submit = r.submit and i.restarts = r.restarts
                            and i.kind = 'requeue' and (i.observed is not null or i.state in ('SENT', 'ACKED', 'UNKNOWN'))) then 'fairbridge'
            when r.state in ('NODE_FAIL', 'BOOT_FAIL') then 'node'
            when r.state = 'PREEMPTED' then 'slurm'
            else 'other' end as stopped_by
  from fairbridge.job_runs r
  left join fairbridge.watch w on w.cluster = r.cluster
 cross join lateral (select greatest(coalesce(extract(epoch from coalesce(r.ended, case when not r.closed then w.at end) - r.started), 0), 0)::double precision as elapsed_s) e
  left join lateral (
       select sum(s.gpus * s.part / 100.0 * extract(epoch from greatest(coalesce(s.stopped, w.at), s.started) - s.started))::double precision as gpu_s
         from fairbridge.run_segments s
        where s.cluster = r.cluster and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts) s on true
  left join lateral (
       select sum(m.measured_s) as measured_s, sum(m.busy_s) as busy_s, sum(m.idle_s) as idle_s, sum(m.held_s) as held_s, sum(m.mem_s) as mem_s
         from fairbridge.measured m
        where m.cluster = r.cluster and m.job = r.job and m.submit = r.submit and m.restarts = r.restarts) m on true
  left join lateral (
       select bool_or((x.submit, x.restarts) > (r.submit, r.restarts)) as again,
              sum(extract(epoch from coalesce(x.ended, case when not x.closed then w.at end) - x.started))::double precision as work_s
         from fairbridge.job_runs x
        where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive) j on true
  left join lateral (
       select avg(greatest(1, h.wanted / nullif(h.gpus, 0))) as contention
         from fairbridge.contention_hours h
        where r.ended is not null and r.started is not null and h.cluster = r.cluster and h.hour >= date_trunc('hour', r.arrive) and h.hour < r.ended) d on true;
comment on view fairbridge.run_live is 'The facts of runs, worked out now. For few runs at a time; run_facts keeps those of runs that ended.';

-- +goose StatementBegin
create function fairbridge.sum_usage(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare seen timestamptz := (select at from fairbridge.watch where cluster = c);
begin
    delete from fairbridge.usage_days where cluster = c and day = d;
    insert into fairbridge.usage_days (cluster, day, account, user_name, partition, gpu_type, gpu_s, measured_s, busy_s, idle_s, held_s)
    select c, d, account, user_name, partition, gpu_type, sum(gpu_s), sum(measured_s), sum(busy_s), sum(idle_s), sum(held_s)
      from (select account, user_name, partition, gpu_type, (gpus * part / 100.0 * extract(epoch from least(stopped, hi) - greatest(started, lo)))::double precision as gpu_s,
                   0::double precision as measured_s, 0::double precision as busy_s, 0::double precision as idle_s, 0::double precision as held_s
              from fairbridge.run_segments where cluster = c and stopped is not null and stopped > lo and started < hi
             union all
            select account, user_name, partition, gpu_type, (gpus * part / 100.0 * extract(epoch from least(seen, hi) - greatest(started, lo)))::double precision, 0, 0, 0, 0
              from fairbridge.run_segments where cluster = c and stopped is null and seen > lo and started < least(seen, hi)
             union all
            select account, user_name, partition, gpu_type, 0, measured_s, busy_s, idle_s, held_s
              from fairbridge.measured where cluster = c and hour >= lo and hour < hi) x
     group by account, user_name, partition, gpu_type;
end $$;

create function fairbridge.sum_demand(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare seen timestamptz := (select at from fairbridge.watch where cluster = c);
begin
    delete from fairbridge.demand_hours where cluster = c and hour >= lo and hour < hi;
    insert into fairbridge.demand_hours (cluster, hour, account, gpu_s)
    select c, h.hour, x.account, sum(x.gpus * extract(epoch from least(x.until, h.hour + interval '1 hour') - greatest(x.since, h.hour)))
      from (select account, gpus, case when restarts = 0 then arrive else to_timestamp(submit) end as since, ended as until
              from fairbridge.job_runs where cluster = c and closed and ended > lo and gpus > 0 and arrive < hi
             union all
            select account, gpus, case when restarts = 0 then arrive else to_timestamp(submit) end, seen
              from fairbridge.job_runs where cluster = c and not closed and gpus > 0 and arrive < hi) x
     cross join lateral generate_series(greatest(date_trunc('hour', x.since), lo), least(x.until, hi - interval '1 second'), interval '1 hour') as h(hour)
     where x.since < hi and x.until > lo and x.until > h.hour
     group by h.hour, x.account;
    delete from fairbridge.contention_hours where cluster = c and hour >= lo and hour < hi;
    insert into fairbridge.contention_hours (cluster, hour, wanted, gpus)
    select c, h.hour, sum(h.gpu_s) / greatest(extract(epoch from least(seen, h.hour + interval '1 hour') - h.hour), 1),
           (select sum(k.gpus) from fairbridge.capacity_hours k where k.cluster = c and k.partition = '' and k.hour =
                coalesce((select max(b.hour) from fairbridge.capacity_hours b where b.cluster = c and b.partition = '' and b.hour <= h.hour),
                         (select min(b.hour) from fairbridge.capacity_hours b where b.cluster = c and b.partition = '')))
      from fairbridge.demand_hours h where h.cluster = c and h.hour >= lo and h.hour < hi group by h.hour;
end $$;

create function fairbridge.sum_facts(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    delete from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi;
    delete from fairbridge.run_facts f using fairbridge.job_runs r -- one whose end moved here from another day
     where r.cluster = c and r.closed and r.ended >= lo and r.ended < hi
       and f.cluster = c and f.job = r.job and f.submit = r.submit and f.restarts = r.restarts;
    insert into fairbridge.run_facts (cluster, job, submit, restarts, arrive, started, ended, name, user_name, account, partition, state, gpus, limit_s, elapsed_s,
                                      gpu_s, measured_s, busy_s, idle_s, held_s, mem_used, final, work_s, contention, slowdown, rho, stopped_by)
    select cluster, job, submit, restarts, arrive, started, ended, name, user_name, account, partition, state, gpus, limit_s, elapsed_s,
           gpu_s, measured_s, busy_s, idle_s, held_s, mem_used, final, work_s, contention,
           case when final and started is not null and gpus > 0 then greatest(extract(epoch from ended - arrive)::double precision / greatest(work_s, 10), 1) end,
           case when final and gpus > 0 and work_s > 0 then extract(epoch from ended - arrive)::double precision / (work_s * contention) end, stopped_by
      from fairbridge.run_live where cluster = c and closed and ended >= lo and ended < hi;
end $$;

create function fairbridge.sum_runs(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    delete from fairbridge.run_days where cluster = c and day = d;
    insert into fairbridge.run_days
    select c, d, account, user_name, partition, count(*), count(*) filter (where state = 'COMPLETED'),
           count(*) filter (where final and state in ('FAILED', 'OUT_OF_MEMORY', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE', 'LAUNCH_FAILED')),
           count(*) filter (where state = 'CANCELLED'), count(*) filter (where state = 'TIMEOUT'),
           count(slowdown), coalesce(sum(slowdown), 0), coalesce(sum(rho), 0), count(rho), count(*) filter (where rho > 1.05),
           count(*) filter (where fits), coalesce(sum(limit_s) filter (where fits), 0), coalesce(sum(elapsed_s) filter (where fits), 0),
           count(*) filter (where stopped_by = 'fairbridge'), count(*) filter (where stopped_by = 'slurm'),
           count(*) filter (where stopped_by = 'node'), count(*) filter (where stopped_by = 'other'),
           coalesce(sum(gpu_s) filter (where stopped_by = 'fairbridge'), 0), coalesce(sum(gpu_s) filter (where stopped_by is not null), 0)
      from (select *, state = 'COMPLETED' and limit_s > 0 as fits from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi) x
     group by account, user_name, partition;
    delete from fairbridge.wait_days where cluster = c and day = d;
    insert into fairbridge.wait_days
    select c, d, account, user_name, partition, count(*), sum(value) from fairbridge.first_waits where cluster = c and started >= lo and started < hi
     group by account, user_name, partition;
    update fairbridge.start_estimates e set started = null
     where e.cluster = c and e.started >= lo and e.started < hi
       and not exists (select from fairbridge.first_waits f where f.cluster = c and f.job = e.job and f.arrive = e.arrive and f.started = e.started);
    update fairbridge.start_estimates e set started = f.started
      from fairbridge.first_waits f
     where f.cluster = c and f.started >= lo and f.started < hi
       and e.cluster = c and e.job = f.job and e.arrive = f.arrive and e.started is distinct from f.started;
end $$;

create function fairbridge.sum_spreads(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    create temp table if not exists spread_now (measure text, account text, partition text, value double precision, scaled double precision) on commit drop;
    truncate spread_now;
    insert into spread_now
    select 'wait', account, partition, value, value from fairbridge.first_waits where cluster = c and started >= lo and started < hi
     union all
    select 'slowdown', account, partition, slowdown, slowdown * 100 from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi and slowdown is not null
     union all
    select 'rho', account, partition, rho, rho * 100 from fairbridge.run_facts where cluster = c and ended >= lo and ended < hi and rho is not null;
    delete from fairbridge.spread_days where cluster = c and day = d;
    insert into fairbridge.spread_days
    select c, d, measure, account, partition, case when scaled < 1 then 0 else 1 + floor(4 * ln(scaled) / ln(2)) end, count(*) from spread_now group by 3, 4, 5, 6;
    delete from fairbridge.middle_days where cluster = c and day = d;
    insert into fairbridge.middle_days
    select c, d, measure, account, percentile_cont(0.5) within group (order by value), percentile_cont(0.95) within group (order by value), max(value)
      from spread_now group by measure, account;
end $$;
-- +goose StatementEnd

create view fairbridge.first_waits as
select r.cluster, r.job, r.arrive, r.started, r.account, r.user_name, r.partition, greatest(extract(epoch from r.started - r.arrive), 0)::double precision as value
  from fairbridge.job_runs r
 where r.gpus > 0 and r.started is not null
   and (r.restarts = 0 or not exists (select from fairbridge.job_runs x where x.cluster = r.cluster and x.job = r.job and x.arrive = r.arrive and x.started < r.started));
comment on view fairbridge.first_waits is 'Each job''s wait from its first submission to its first start, seconds.';

-- +goose StatementBegin
create function fairbridge.sum_shares(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    if d >= (select (as_of at time zone 'UTC')::date from fairbridge.report_state where cluster = c)
       or not exists (select from fairbridge.account_days where cluster = c and day = d) then
        delete from fairbridge.account_days where cluster = c and day = d;
        insert into fairbridge.account_days select c, d, name, parent, weight from fairbridge.accounts where cluster = c;
    end if;
    delete from fairbridge.share_days where cluster = c and day = d;
    insert into fairbridge.share_days (cluster, day, account, entitled, used_s, wanted_s)
    with recursive here as (
        select account, sum(used) as used, sum(wanted) as wanted
          from (select account, gpu_s as used, 0::double precision as wanted from fairbridge.usage_days where cluster = c and day = d
                 union all
                select account, 0, gpu_s from fairbridge.demand_hours where cluster = c and hour >= lo and hour < hi) x group by account
    ), listed as (
        select name as node, name as account, parent, case when weight > 0 then weight else 1 end as weight from fairbridge.account_days where cluster = c and day = d
    ), known as (
        select * from listed
         union all -- nothing is known of these: one share at the top
        select account, account, '', 1 from here where account not in (select account from listed)
         union all -- who has accounts below and runs jobs too is one more of those below
        select account || ' itself', account, account, 1 from here where account in (select parent from listed)
    ), parts as (
        select k.node, k.account, case when k.parent in (select node from listed) then k.parent else '' end as parent, k.weight from known k
    ), shares as (
        select node, account, parent, weight / sum(weight) over (partition by parent) as part from parts
    ), tree as (
        select node, account, part from shares where parent = ''
         union all
        select n.node, n.account, t.part * n.part from tree t join shares n on n.parent = t.node
    )
    select c, d, t.account, t.part, coalesce(h.used, 0), coalesce(h.wanted, 0)
      from tree t left join here h using (account)
     where not exists (select from shares x where x.parent = t.node);
end $$;

create function fairbridge.sum_changes(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare since timestamptz := coalesce((select as_of from fairbridge.report_state where cluster = c), '-infinity');
begin
    if hi > since - interval '1 day' then -- older ones do not change, but may be forgotten already
        delete from fairbridge.decision_days where cluster = c and day = d;
        insert into fairbridge.decision_days
        select c, d, partition, verb, count(*) from fairbridge.decisions where cluster = c and at >= lo and at < hi group by partition, verb;
    end if;
    if hi > since - interval '1 day' or exists (
            select from fairbridge.intents where cluster = c and made >= lo and made < hi and (closed is null or closed >= since - interval '1 day')) then
        delete from fairbridge.change_days where cluster = c and day = d;
        insert into fairbridge.change_days
        select c, d, partition, policy, kind, state, count(*) from fairbridge.intents where cluster = c and made >= lo and made < hi group by partition, policy, kind, state;
    end if;
end $$;

create function fairbridge.sum_day(c text, d date) returns void language plpgsql as $$
declare
    lo timestamptz := d::timestamp at time zone 'UTC';
    hi timestamptz := (d + 1)::timestamp at time zone 'UTC';
begin
    perform fairbridge.sum_usage(c, d, lo, hi);
    perform fairbridge.sum_demand(c, d, lo, hi);
    perform fairbridge.sum_facts(c, d, lo, hi);
    perform fairbridge.sum_runs(c, d, lo, hi);
    perform fairbridge.sum_spreads(c, d, lo, hi);
    perform fairbridge.sum_shares(c, d, lo, hi);
    perform fairbridge.sum_changes(c, d, lo, hi);
    delete from fairbridge.report_marks where cluster = c and day = d;
end $$;
-- +goose StatementEnd
create index intents_made on fairbridge.intents (cluster, made);
comment on function fairbridge.sum_usage is 'Sums up usage_days of a day.';
comment on function fairbridge.sum_demand is 'Sums up demand_hours and contention_hours of a day.';
comment on function fairbridge.sum_facts is 'Works out run_facts of the runs that ended on a day.';
comment on function fairbridge.sum_runs is 'Sums up run_days and wait_days of a day, and notes first starts beside their estimates.';
comment on function fairbridge.sum_spreads is 'Sums up spread_days and middle_days of a day.';
comment on function fairbridge.sum_shares is 'Sums up share_days of a day; entitlements of past days are kept in account_days.';
comment on function fairbridge.sum_changes is 'Counts decisions and changes of a day, unless it is so old that they may be forgotten.';
comment on function fairbridge.sum_day is 'Makes everything that reports keep of a day (UTC) anew from the record. Call it in a repeatable read transaction: marks that commit meanwhile then stay.';

-- +goose Down
drop index fairbridge.intents_made;
drop function fairbridge.sum_day(text, date);
drop function fairbridge.sum_changes(text, date, timestamptz, timestamptz);
drop function fairbridge.sum_shares(text, date, timestamptz, timestamptz);
drop view fairbridge.first_waits;
drop function fairbridge.sum_spreads(text, date, timestamptz, timestamptz);
drop function fairbridge.sum_runs(text, date, timestamptz, timestamptz);
drop function fairbridge.sum_facts(text, date, timestamptz, timestamptz);
drop function fairbridge.sum_demand(text, date, timestamptz, timestamptz);
drop function fairbridge.sum_usage(text, date, timestamptz, timestamptz);
drop view fairbridge.run_live;
drop view fairbridge.measured;
