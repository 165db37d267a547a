-- A role for reports: it may read the views and nothing else, and its queries
-- cannot hurt. It has no password; give it one with: \\password fairbridge_report
do $$
begin
    if not exists (select from pg_roles where rolname = 'fairbridge_report') then
        create role fairbridge_report login connection limit 10;
    end if;
end $$;
alter role fairbridge_report set default_transaction_read_only = on;
alter role fairbridge_report set statement_timeout = '10s';
alter role fairbridge_report set search_path = fairbridge_v1;
revoke all on schema fairbridge from fairbridge_report;
grant usage on schema fairbridge_v1 to fairbridge_report;
grant select on all tables in schema fairbridge_v1 to fairbridge_report;
