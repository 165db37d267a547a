-- The entitlements of a cluster: the configuration's word, else slurmdbd's.
select name, coalesce(nullif(c.parent, ''), s.parent, ''), coalesce(c.weight, s.weight)
  from (select * from fairbridge.accounts where cluster = $1 and source = 'config') c
  full join (select * from fairbridge.accounts where cluster = $1 and source = 'slurmdbd') s using (name)
 order by name
