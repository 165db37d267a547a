-- Remember the view that was recorded; $6 says that it rewrote old segments.
insert into fairbridge.watch as w (cluster, at, before, full_at, release, api, rewritten) values ($1, $2, $2, $3, $4, $5, $6::bool::int)
on conflict (cluster) do update set
    before = least(excluded.at, case when w.at < excluded.at then w.at else w.before end),
    at = excluded.at, full_at = coalesce(excluded.full_at, w.full_at), release = excluded.release, api = excluded.api,
    rewritten = w.rewritten + excluded.rewritten
