-- Write one intent.
insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, until, nodes,
                                array_task, tasks, why, before, state, not_after, made, text)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
returning id
