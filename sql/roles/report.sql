-- Two roles for reports. Both may read the views and nothing else, and their
-- queries cannot hurt. fairbridge_report sees every account; it has no password,
-- give it one with: \\password fairbridge_report. fairbridge_coordinator is for
-- roles that see only the accounts fairbridge.coordinators lists for them. What is
-- set here (search_path and so on) holds for these two; members set their own.
do $$
declare
    who text;
begin
    if not exists (select from pg_roles where rolname = 'fairbridge_report') then
        create role fairbridge_report login connection limit 10;
    end if;
    if not exists (select from pg_roles where rolname = 'fairbridge_coordinator') then
        create role fairbridge_coordinator;
    end if;
    foreach who in array array['fairbridge_report', 'fairbridge_coordinator'] loop
        execute format('alter role %I set default_transaction_read_only = on', who);
        execute format('alter role %I set statement_timeout = %L', who, '10s');
        execute format('alter role %I set search_path = fairbridge_v1', who);
        execute format('revoke all on schema fairbridge from %I', who);
        execute format('grant usage on schema fairbridge_v1 to %I', who);
        execute format('grant select on all tables in schema fairbridge_v1 to %I', who);
        execute format('alter default privileges in schema fairbridge_v1 grant select on tables to %I', who);
    end loop;
end $$;
