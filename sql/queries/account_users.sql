-- Users whose shares of their account are not one.
select user_name, account, coalesce(weight, 0) from fairbridge.account_users where cluster = $1 and weight is distinct from 1
 order by user_name, account
