-- Whether anything is of a user, whether it is still in use, and when the last run of the user ended.
select exists (select from fairbridge.job_runs r where r.cluster = $1 and r.user_name = $2) or exists (select from fairbridge.account_users u where u.cluster = $1 and u.user_name = $2)
           or exists (select from fairbridge.usage_days d where d.cluster = $1 and d.user_name = $2) or exists (select from fairbridge.job_speeds p where p.cluster = $1 and p.user_name = $2),
       exists (select from fairbridge.job_runs r where r.cluster = $1 and r.user_name = $2
                  and (not r.closed or exists (select from fairbridge.intents i where i.cluster = $1 and i.job = r.job and i.closed is null))),
       (select max(coalesce(r.ended, r.last_change)) from fairbridge.job_runs r where r.cluster = $1 and r.user_name = $2)
