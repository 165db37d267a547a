-- Sum up one day.
select fairbridge.sum_day($1, $2)
