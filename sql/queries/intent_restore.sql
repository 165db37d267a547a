-- Put an intent back that was sent and that the ledger has lost, unless it has it, or another of the job's field that is
-- still open.
insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, until, nodes,
                                array_task, tasks, why, before, state, not_after, made, text, sent, error, polls, observed)
select $1, $2, '', null, 0, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17::text, $18, $19, $20, $21, $22, $23,
       case when $17::text = 'OBSERVED' then clock_timestamp() end
 where not exists (select from fairbridge.intents i
        where i.cluster = $1 and i.job = $4 and i.submit = $5 and i.restarts = $6 and i.epoch = $2 and i.kind = $9 and i.made = $19)
on conflict do nothing
returning id
