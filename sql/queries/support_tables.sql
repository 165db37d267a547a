-- The size of each table, its indexes included, and about how many rows it has; of partitions the sum.
select coalesce(i.inhparent::regclass::text, c.oid::regclass::text) as name, sum(pg_total_relation_size(c.oid))::bigint as bytes,
       sum(greatest(c.reltuples, 0))::bigint as rows
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid
 where c.relnamespace = to_regnamespace('fairbridge') and c.relkind = 'r'
 group by 1 order by 2 desc, 1
