-- Remember up to which view the record is summed up.
insert into fairbridge.report_state (cluster, as_of, made) values ($1, $2, clock_timestamp())
on conflict (cluster) do update set as_of = greatest(report_state.as_of, excluded.as_of), made = excluded.made
