-- Store what policies would have done with a partition's own jobs.
insert into fairbridge.studies (cluster, partition, author, since, until, fidelity, seeds, about, accuracy, remarks, lines)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id, made
