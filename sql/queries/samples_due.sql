-- Hours whose readings are not rolled up, oldest first.
select hour from fairbridge.gpu_hours_due where cluster = $1 order by hour limit 1000
