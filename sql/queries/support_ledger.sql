-- How many changes since $2 there are of each partition, kind and state: at most $3 lines, each as JSON.
select row_to_json(l)::text from (
    select partition, kind, state, count(*) as changes, min(made) as first, max(made) as last
      from fairbridge.intents where cluster = $1 and made >= $2 group by partition, kind, state order by partition, kind, state limit $3) l
