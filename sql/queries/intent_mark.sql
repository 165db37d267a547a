-- Store what came of an intent. It never goes back: not from a closed state,
-- nor to an earlier one, but for one without an answer that is sent again. SENT,
-- the leave to send, is fenced by the epoch. What stood in the job before is
-- known best while it is open.
update fairbridge.intents i
   set state = $2, until = $3, not_after = $4, sent = $5, error = $7, polls = $8,
       before = case when $2 in ('SENT', 'UNKNOWN', 'ACKED') then $9 else i.before end,
       observed = coalesce(i.observed, case when $2 = 'OBSERVED' then clock_timestamp() end),
       closed = case when $2 in ('FAILED', 'YIELDED', 'EXPIRED', 'VOID') then coalesce($6, clock_timestamp()) end
 where i.id = $1
   and (i.state in ('FAILED', 'YIELDED', 'EXPIRED', 'VOID') and i.state = $2
        or i.state = 'UNKNOWN' and $2 = 'SENT'
        or i.closed is null and array_position(array['PLANNED', 'SENT', 'UNKNOWN', 'ACKED', 'OBSERVED'], i.state)
           <= coalesce(array_position(array['PLANNED', 'SENT', 'UNKNOWN', 'ACKED', 'OBSERVED'], $2), 9))
   and ($2 <> 'SENT' or exists (select from fairbridge.leader l
        where l.cluster = i.cluster and l.epoch = i.epoch and l.expires > clock_timestamp()))
