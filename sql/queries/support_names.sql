-- What users, accounts, jobs and nodes of a cluster are called, by kind: of runs that go on or started since $2. As texts,
-- why operators did what stands or ended since then, but for demotions by $3, whose reasons are fairbridge's.
select distinct n.kind, n.name
  from fairbridge.job_runs r
 cross join lateral (values ('user', r.user_name), ('account', r.account), ('name', r.name), ('partition', r.partition), ('qos', r.qos)) n (kind, name)
 where r.cluster = $1 and (not r.closed or r.started >= $2)
 union select 'node', node from fairbridge.run_segments where cluster = $1 and (stopped is null or stopped >= $2)
 union select 'account', name from fairbridge.accounts where cluster = $1
 union select 'user', user_name from fairbridge.account_users where cluster = $1
 union select 'text', why from fairbridge.operator_actions where cluster = $1 and (ended is null or ended >= $2)
 union select 'text', why from fairbridge.demotions where cluster = $1 and demoted_by <> all($3) and (cleared is null or cleared >= $2)
 union select 'text', cleared_why from fairbridge.demotions where cluster = $1 and cleared >= $2 and cleared_why <> ''
 order by 1, 2
