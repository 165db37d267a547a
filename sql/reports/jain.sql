-- Jain's index by day
-- Over the accounts that wanted something: of used over due, and of used over what was due and wanted. 1 is even, 1/accounts is one having all.
select j.day, j.accounts, j.jain, j.jain_of_wanted
  from fairbridge_v1.jain_by_day j
 where j.cluster = $1 and j.day >= ($2::timestamptz at time zone 'UTC')::date and j.day < $3::timestamptz at time zone 'UTC'
   and $4::text = '' and $5::text = ''
 order by j.day
