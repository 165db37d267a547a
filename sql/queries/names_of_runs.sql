-- Accounts or users ($2: 'account', 'user') of recorded runs: $3 first where it is one of them.
select name from (select distinct case when $2::text = 'account' then account else user_name end as name from fairbridge_v1.runs where cluster = $1) n
 order by name <> $3, name limit 12
