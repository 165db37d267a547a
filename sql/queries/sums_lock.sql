-- Be the only one who sums up this cluster, on this connection; false when another is.
select pg_try_advisory_lock(hashtextextended('fairbridge sums ' || $1::text, 0))
