-- Bring decision_now up to the plan, and keep in decisions what changed in
-- substance. $5.. are columns of the plan, one element per job. "not in" is hashed;
-- "any" of an array would be searched from its start for each row.
with plan as (
    select * from unnest($5::bigint[], $6::text[], $7::int[], $8::int[], $9::text[], $10::bigint[], $11::text[])
        as p (job, verb, rank, gpus, alloc, room_for, why)
), changed as (
    select p.*, n.job is null or (n.verb, n.gpus, n.alloc, n.room_for) is distinct from (p.verb, p.gpus, p.alloc, p.room_for) as substance
      from plan p left join fairbridge.decision_now n on n.cluster = $1 and n.partition = $2 and n.job = p.job
     where n.job is null or (n.verb, n.rank, n.gpus, n.alloc, n.room_for, n.why) is distinct from (p.verb, p.rank, p.gpus, p.alloc, p.room_for, p.why)
), gone as (
    delete from fairbridge.decision_now n where n.cluster = $1 and n.partition = $2 and n.job not in (select job from plan)
), history as (
    insert into fairbridge.decisions (cluster, partition, job, seq, at, verb, rank, gpus, alloc, room_for, why)
    select $1, $2, job, $3, $4, verb, rank, gpus, alloc, room_for, why from changed where substance
)
insert into fairbridge.decision_now as n (cluster, partition, job, seq, verb, rank, gpus, alloc, room_for, why)
select $1, $2, job, $3, verb, rank, gpus, alloc, room_for, why from changed
on conflict (cluster, partition, job) do update set
    seq = excluded.seq, verb = excluded.verb, rank = excluded.rank, gpus = excluded.gpus,
    alloc = excluded.alloc, room_for = excluded.room_for, why = excluded.why
