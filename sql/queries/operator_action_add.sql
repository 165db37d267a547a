-- Record what an operator did; over at once ($13) where nothing of it stands.
insert into fairbridge.operator_actions (cluster, kind, partition, mode, job, target, change, author, origin, why, effect, until, ended, ended_by)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, case when $13 then now() end, case when $13 then $8 else '' end
returning id, at
