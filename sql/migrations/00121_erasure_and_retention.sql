-- Users whose rows were made anonymous, without their names; and days whose sums stay because their runs are forgotten.
-- +goose Up

create table fairbridge.erasures (
    id      bigint generated always as identity primary key,
    cluster text        not null,
    at      timestamptz not null default now(),
    done_by text        not null,
    changed bigint      not null default 0
);
comment on table fairbridge.erasures is 'Users who were erased: in their rows stands erased-ID. Whose it was is stored nowhere; done_by is the operator, changed how many rows were changed or deleted.';

create table fairbridge.frozen_days (
    cluster text primary key,
    through date not null
);
comment on table fairbridge.frozen_days is 'Up to which day (UTC) runs may be forgotten: sums of these days are kept as they are, and never made anew from what is left.';

-- +goose StatementBegin
create or replace function fairbridge.mark(c text[], lo timestamptz[], hi timestamptz[]) returns void language sql as $$
    insert into fairbridge.report_marks (cluster, day)
    select distinct k.c, d::date
      from (select distinct c, date_trunc('day', least(lo, hi) at time zone 'UTC') as first, date_trunc('day', greatest(lo, hi) at time zone 'UTC') as last
              from unnest(c, lo, hi) as k (c, lo, hi) where lo is not null and hi is not null) k
     cross join lateral generate_series(k.first, least(k.last, k.first + interval '1000 days'), interval '1 day') as d
     where coalesce(current_setting('fairbridge.keeps_sums', true), '') <> 'on'
       and not exists (select from fairbridge.frozen_days f where f.cluster = k.c and d::date <= f.through)
$$;

create or replace function fairbridge.sum_day(c text, d date) returns void language plpgsql as $$
declare
    lo timestamptz := d::timestamp at time zone 'UTC';
    hi timestamptz := (d + 1)::timestamp at time zone 'UTC';
begin
    if not exists (select from fairbridge.frozen_days f where f.cluster = c and d <= f.through) then
        perform fairbridge.sum_usage(c, d, lo, hi);
        perform fairbridge.sum_demand(c, d, lo, hi);
        perform fairbridge.sum_facts(c, d, lo, hi);
        perform fairbridge.sum_runs(c, d, lo, hi);
        perform fairbridge.sum_spreads(c, d, lo, hi);
        perform fairbridge.sum_shares(c, d, lo, hi);
        perform fairbridge.sum_changes(c, d, lo, hi);
    end if;
    delete from fairbridge.report_marks where cluster = c and day = d;
end $$;
-- +goose StatementEnd
comment on function fairbridge.mark is 'Marks the days from lo to hi of clusters as changed, but for frozen ones, and none while fairbridge.keeps_sums is on: by who changes runs and sums alike.';
comment on function fairbridge.sum_day is 'Makes everything that reports keep of a day (UTC) anew from the record, but of a frozen day nothing. Call it in a repeatable read transaction: marks that commit meanwhile then stay.';
