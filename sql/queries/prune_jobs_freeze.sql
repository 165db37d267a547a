-- Freeze the sums of the days through $2, unless one of them is to be summed up yet: no row then.
insert into fairbridge.frozen_days as f (cluster, through)
select $1, $2::date
 where not exists (select from fairbridge.report_marks m where m.cluster = $1 and m.day <= $2)
   and exists (select from fairbridge.report_state s where s.cluster = $1 and s.as_of >= ($2::date + 2)::timestamp at time zone 'UTC')
on conflict (cluster) do update set through = greatest(f.through, excluded.through)
returning through
