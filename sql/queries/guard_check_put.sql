-- Store a check of the harm guard.
insert into fairbridge.guard_checks (cluster, partition, at, verdict, reasons, since, until, policy, mode, jobs, stops, seeds, figures, remarks)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
