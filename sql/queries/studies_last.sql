-- The newest study of each partition.
select distinct on (partition) id, partition, made, author, since, until, fidelity, seeds, about, accuracy, remarks, lines
  from fairbridge.studies where cluster = $1 order by partition, made desc, id desc
