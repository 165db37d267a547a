-- How far the record was summed up, and how many days changed since.
select as_of, days_behind from fairbridge_v1.report_state where cluster = $1
