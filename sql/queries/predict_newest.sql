-- The newest model of the cluster ($1) by the method of version $2, if it is
-- not number $3, which the reader has.
select id, made, case when id <> $3 then model end
  from fairbridge.models where cluster = $1 and version = $2 order by id desc limit 1
