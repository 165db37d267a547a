-- What a GPU-hour of each type is charged: use, shares and reports go by it, and what was held before a
-- change keeps the weight it had.
-- +goose Up

create table fairbridge.gpu_weights (
    cluster  text             not null,
    gpu_type text             not null,
    since    timestamptz      not null,
    weight   double precision not null check (weight >= 0 and weight <= 1000),
    author   text             not null,
    stored   timestamptz      not null default clock_timestamp(),
    primary key (cluster, gpu_type, since)
);
comment on table fairbridge.gpu_weights is 'Billing weights: GPU-hours that an hour of a whole GPU of the type is charged from since on, and who said so. Before its first row a type has weight 1; a type without rows always has. Rows are only added.';

create view fairbridge.gpu_weight_spans as
select cluster, gpu_type, weight, since, lead(since, 1, 'infinity') over (partition by cluster, gpu_type order by since) as until, author, stored from fairbridge.gpu_weights
 union all
select cluster, gpu_type, 1, '-infinity', min(since), null, null from fairbridge.gpu_weights group by cluster, gpu_type;
comment on view fairbridge.gpu_weight_spans is 'From when until when which billing weight holds: all of time for each type that has rows, nothing for others, whose weight is 1.';

create view fairbridge.weighed_segments as
select s.cluster, s.job, s.submit, s.restarts, s.node, s.gpu_type, s.started, s.stopped, s.gpus, s.part, s.user_name, s.account, s.partition,
       coalesce(w.weight, 1) as weight, greatest(s.started, w.since) as weighed_since, least(s.stopped, w.until) as weighed_until
  from fairbridge.run_segments s
  left join fairbridge.gpu_weight_spans w on w.cluster = s.cluster and w.gpu_type = s.gpu_type and w.until > s.started and (s.stopped is null or w.since < s.stopped or w.since <= s.started);
comment on view fairbridge.weighed_segments is 'Segments with the weight by which they are charged, one row for each weight that held in their time: from weighed_since to weighed_until (null or infinity: no end yet). The one place that says what is charged: GPU-seconds within a row, times weight. A MIG slice is charged its part of a GPU, times the weight of its own type.';

-- Sums of use read the type too: without a look at each row.
drop index fairbridge.run_segments_stopped;
create index run_segments_stopped on fairbridge.run_segments (cluster, stopped)
    include (started, gpus, part, user_name, account, gpu_type) where stopped is not null;

alter table fairbridge.usage_days add column charged_s double precision;
update fairbridge.usage_days set charged_s = gpu_s;
alter table fairbridge.usage_days alter column charged_s set not null;
comment on column fairbridge.usage_days.charged_s is 'gpu_s times the billing weights that held.';
alter table fairbridge.share_days add column charged_s double precision;
update fairbridge.share_days set charged_s = used_s;
alter table fairbridge.share_days alter column charged_s set not null;
comment on column fairbridge.share_days.charged_s is 'used_s times the billing weights that held.';

-- +goose StatementBegin
create or replace function fairbridge.sum_usage(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
declare seen timestamptz := (select at from fairbridge.watch where cluster = c);
begin
    delete from fairbridge.usage_days where cluster = c and day = d;
    insert into fairbridge.usage_days (cluster, day, account, user_name, partition, gpu_type, gpu_s, measured_s, busy_s, idle_s, held_s, charged_s)
    select c, d, account, user_name, partition, gpu_type, sum(gpu_s), sum(measured_s), sum(busy_s), sum(idle_s), sum(held_s), sum(weight * gpu_s)
      from (select account, user_name, partition, gpu_type, weight, (gpus * part / 100.0 * extract(epoch from least(weighed_until, hi) - greatest(weighed_since, lo)))::double precision as gpu_s,
                   0::double precision as measured_s, 0::double precision as busy_s, 0::double precision as idle_s, 0::double precision as held_s
              from fairbridge.weighed_segments where cluster = c and stopped is not null and stopped > lo and started < hi and least(weighed_until, hi) >= greatest(weighed_since, lo)
             union all
            select account, user_name, partition, gpu_type, weight, (gpus * part / 100.0 * extract(epoch from least(weighed_until, seen, hi) - greatest(weighed_since, lo)))::double precision, 0, 0, 0, 0
              from fairbridge.weighed_segments where cluster = c and stopped is null and seen > lo and started < least(seen, hi) and least(weighed_until, seen, hi) >= greatest(weighed_since, lo)
             union all
            select account, user_name, partition, gpu_type, 0, 0, measured_s, busy_s, idle_s, held_s
              from fairbridge.measured where cluster = c and hour >= lo and hour < hi) x
     group by account, user_name, partition, gpu_type;
end $$;

create or replace function fairbridge.sum_shares(c text, d date, lo timestamptz, hi timestamptz) returns void language plpgsql as $$
begin
    if d >= (select (as_of at time zone 'UTC')::date from fairbridge.report_state where cluster = c)
       or not exists (select from fairbridge.account_days where cluster = c and day = d) then
        delete from fairbridge.account_days where cluster = c and day = d;
        insert into fairbridge.account_days select c, d, name, parent, weight from fairbridge.accounts where cluster = c;
    end if;
    delete from fairbridge.share_days where cluster = c and day = d;
    insert into fairbridge.share_days (cluster, day, account, entitled, used_s, wanted_s, charged_s)
    with recursive here as (
        select account, sum(used) as used, sum(wanted) as wanted, sum(charged) as charged
          from (select account, gpu_s as used, 0::double precision as wanted, charged_s as charged from fairbridge.usage_days where cluster = c and day = d
                 union all
                select account, 0, gpu_s, 0 from fairbridge.demand_hours where cluster = c and hour >= lo and hour < hi) x group by account
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
    select c, d, t.account, t.part, coalesce(h.used, 0), coalesce(h.wanted, 0), coalesce(h.charged, 0)
      from tree t left join here h using (account)
     where not exists (select from shares x where x.parent = t.node);
end $$;

create function fairbridge.mark_weights() returns trigger language plpgsql as $$
begin
    perform fairbridge.mark(array_agg(n.cluster), array_agg(n.since), array_agg(coalesce(w.at, now())))
       from news n left join fairbridge.watch w using (cluster);
    update fairbridge.watch set rewritten = rewritten + 1 where cluster in (select cluster from news);
    return null;
end $$;

create function fairbridge.refuse_weight_change() returns trigger language plpgsql as $$
begin
    raise exception 'a billing weight is not changed: add a row with another since, or delete this one';
end $$;
-- +goose StatementEnd
comment on function fairbridge.refuse_weight_change is 'Trigger: rows of gpu_weights are added or deleted, so that the days they touch are summed up anew.';
create trigger refuse_update before update of cluster, gpu_type, since, weight on fairbridge.gpu_weights for each row execute function fairbridge.refuse_weight_change();
comment on function fairbridge.mark_weights is 'Trigger: a billing weight marks the days from its time on, and sums over old segments are made anew.';
create trigger mark_insert after insert on fairbridge.gpu_weights referencing new table as news for each statement execute function fairbridge.mark_weights();
create trigger mark_delete after delete on fairbridge.gpu_weights referencing old table as news for each statement execute function fairbridge.mark_weights();

create or replace view fairbridge.usage_now as
select u.cluster, u.day, u.account, u.user_name, u.partition, u.gpu_type, u.gpu_s, u.charged_s
  from fairbridge.usage_days u where not exists (select from fairbridge.stale_days d where d.cluster = u.cluster and d.day = u.day)
 union all
select s.cluster, s.day, s.account, s.user_name, s.partition, s.gpu_type, s.gpu_s, s.weight * s.gpu_s
  from (select s.*, d.day, (s.gpus * s.part / 100.0 * extract(epoch from least(s.weighed_until, d.hi) - greatest(s.weighed_since, d.lo)))::double precision as gpu_s
          from (select cluster, day, day::timestamp at time zone 'UTC' as lo, (day + 1)::timestamp at time zone 'UTC' as hi from fairbridge.stale_days) d
          -- One look into the index a day: offset 0 keeps the planner from joining the other way round, both ends of stopped let it expect few.
         cross join lateral (select * from fairbridge.weighed_segments s
                              where s.cluster = d.cluster and s.stopped is not null and s.stopped > d.lo and s.stopped < 'infinity' and s.started < d.hi and s.stopped > s.started
                                and least(s.weighed_until, d.hi) >= greatest(s.weighed_since, d.lo) offset 0) s) s
 union all
select s.cluster, s.day, s.account, s.user_name, s.partition, s.gpu_type, s.gpu_s, s.weight * s.gpu_s
  from (select s.*, d.day, (s.gpus * s.part / 100.0 * extract(epoch from least(s.weighed_until, w.at, d.hi) - greatest(s.weighed_since, d.lo)))::double precision as gpu_s
          from (select cluster, day, day::timestamp at time zone 'UTC' as lo, (day + 1)::timestamp at time zone 'UTC' as hi from fairbridge.stale_days) d
          join fairbridge.watch w on w.cluster = d.cluster and w.at > d.lo
          join fairbridge.weighed_segments s on s.cluster = d.cluster and s.stopped is null and s.started < least(w.at, d.hi)
                                            and least(s.weighed_until, w.at, d.hi) >= greatest(s.weighed_since, d.lo)) s;

create or replace view fairbridge.shares as
select s.cluster, s.day, s.account, s.entitled, s.used_s, s.wanted_s,
       s.entitled * sum(s.used_s) over (partition by s.cluster, s.day) / nullif(sum(s.entitled) filter (where s.wanted_s > 0 or s.used_s > 0) over (partition by s.cluster, s.day), 0) as due_s,
       sum(s.used_s) over (partition by s.cluster, s.day) as all_s, s.charged_s, sum(s.charged_s) over (partition by s.cluster, s.day) as all_charged_s
  from fairbridge.share_days s;

create view fairbridge_v1.gpu_weights as
select cluster, gpu_type, nullif(since, '-infinity') as since, nullif(until, 'infinity') as until, weight, author, stored from fairbridge.gpu_weight_spans;
comment on view fairbridge_v1.gpu_weights is 'Billing weights: GPU-hours that an hour of a whole GPU of the type is charged, from when (null: ever) until when (null: now), and who said so. Types that are not here are charged as they are: weight 1.';

create or replace view fairbridge_v1.usage_by_user_day with (security_barrier) as
select u.cluster, u.day, u.account, u.user_name, u.gpu_type, (sum(u.gpu_s) / 3600)::double precision as gpu_hours, (sum(u.charged_s) / 3600)::double precision as charged_gpu_hours
  from fairbridge.usage_now u
 where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees)
 group by u.cluster, u.day, u.account, u.user_name, u.gpu_type;
comment on view fairbridge_v1.usage_by_user_day is 'GPU-hours per UTC day, account, user and GPU type, split exactly at midnight, as of the last poll; charged are those times the billing weights that held.';

create or replace view fairbridge_v1.usage_by_account_day as
select cluster, day, account, gpu_type, sum(gpu_hours) as gpu_hours, sum(charged_gpu_hours) as charged_gpu_hours
  from fairbridge_v1.usage_by_user_day group by cluster, day, account, gpu_type;
comment on view fairbridge_v1.usage_by_account_day is 'GPU-hours per UTC day, account and GPU type, and charged.';

create or replace view fairbridge_v1.usage_by_partition_day with (security_barrier) as
select u.cluster, u.day, u.partition, u.account, u.gpu_type, sum(u.gpu_s) / 3600 as gpu_hours, sum(u.charged_s) / 3600 as charged_gpu_hours
  from fairbridge.usage_days u where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees) group by u.cluster, u.day, u.partition, u.account, u.gpu_type;
comment on view fairbridge_v1.usage_by_partition_day is 'GPU-hours per UTC day, partition, account and GPU type, and charged, as of the last summing up.';

create or replace view fairbridge_v1.efficiency_by_user_day with (security_barrier) as
select u.cluster, u.day, u.account, u.user_name, u.partition, u.gpu_type, u.gpu_s / 3600 as gpu_hours, u.measured_s / 3600 as measured_gpu_hours,
       u.busy_s / 3600 as busy_gpu_hours, u.idle_s / 3600 as idle_gpu_hours, u.held_s / 3600 as held_without_process_gpu_hours, u.charged_s / 3600 as charged_gpu_hours
  from fairbridge.usage_days u where (select yes from fairbridge.sees_all) or (u.cluster, u.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.efficiency_by_user_day is 'GPU-hours per UTC day, account, user, partition and GPU type by how they were used; columns as in efficiency_by_job. Shares are busy over measured: add up first, divide last. charged are GPU-hours times the billing weights that held.';

create or replace view fairbridge_v1.share_by_account_day with (security_barrier) as
select s.cluster, s.day, s.account, s.entitled as entitled_share, s.charged_s / nullif(s.all_charged_s, 0) as used_share, s.used_s / 3600 as used_gpu_hours,
       s.wanted_s / 3600 as wanted_gpu_hours, case when s.wanted_s > 0 or s.used_s > 0 then s.due_s else 0 end / 3600 as due_gpu_hours,
       greatest(case when s.wanted_s > 0 or s.used_s > 0 then least(s.due_s, s.wanted_s) else 0 end - s.used_s, 0) / 3600 as deficit_gpu_hours,
       s.charged_s / 3600 as charged_gpu_hours
  from fairbridge.shares s where (select yes from fairbridge.sees_all) or (s.cluster, s.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.share_by_account_day is 'Per UTC day and account: its entitled part of the cluster (weights along the tree; the day''s own), the part it used of all that was charged, and wanted (asked for or held). due is its part of all that was used, by entitlement among the accounts that wanted something; deficit is what it lacked of that, at most what it wanted. Sum deficits over days. Used, wanted, due and deficit are GPU-hours of any type: of a waiting job it is not known what type it will get. charged are used GPU-hours times the billing weights that held.';

-- +goose StatementBegin
do $$
begin
    if exists (select from pg_roles where rolname = 'fairbridge_report') then
        grant select on all tables in schema fairbridge_v1 to fairbridge_report;
    end if;
end $$;
-- +goose StatementEnd
