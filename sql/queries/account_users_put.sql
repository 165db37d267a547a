-- Make the users of a cluster's accounts exactly the given ones; their QOS are
-- separated by commas.
with want as (
    select account, user_name, weight, string_to_array(qos, ',') as qos
      from unnest($2::text[], $3::text[], $4::double precision[], $5::text[]) as w (account, user_name, weight, qos)
), gone as (
    delete from fairbridge.account_users a where a.cluster = $1
       and not exists (select from want w where w.account = a.account and w.user_name = a.user_name)
)
insert into fairbridge.account_users as a (cluster, account, user_name, weight, qos) select $1, account, user_name, weight, qos from want
on conflict (cluster, account, user_name) do update set weight = excluded.weight, qos = excluded.qos
where (a.weight, a.qos) is distinct from (excluded.weight, excluded.qos)
