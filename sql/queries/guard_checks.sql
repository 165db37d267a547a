-- Checks of a partition ($2, empty: of all) after $3, the newest first, at most $4.
select partition, at, verdict, reasons, since, until, policy, mode, jobs, stops, seeds, figures, remarks
  from fairbridge.guard_checks where cluster = $1 and ($2 = '' or partition = $2) and at > $3 order by at desc, partition limit $4
