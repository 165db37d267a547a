package diff

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// leases holds the jobs the plan holds, renews what is still wanted at half
// life, and ends the rest. Only jobs near the head are leased: one that cannot
// start needs no lease.
func (d *differ) leases() {
	left := d.Lease.Window
	for _, dec := range d.line {
		j := d.View.Job(int64(dec.Job))
		in := d.Book.Standing(j.Run(), slurm.FieldBegin, d.View.At)
		switch {
		case dec.Verb == policy.Hold && left > 0:
			left--
			d.lease(j, in, dec.Why)
		case dec.Verb != policy.Hold && in != nil:
			d.giveBack(j, in, dec.Why)
		}
	}
}

// lease sets or renews a lease, never shortening the user's own begin.
func (d *differ) lease(j *slurm.Job, in *bridge.Intent, why string) {
	now := d.View.At
	if in != nil && in.Edit.Until.Sub(now) > d.Lease.Length/2 {
		return
	}
	until := now.Add(d.Lease.Length - jitter(j.ID, d.Snapshot.Seq, d.Lease.Length)).Truncate(time.Second)
	begin := j.Eligible
	if in != nil {
		begin = in.Before.Begin
	}
	if !begin.Before(until) {
		return // the user's own begin is later
	}
	d.add(j, slurm.Edit{Kind: slurm.Lease, Until: until, Why: why})
}

// jitter returns 1 to 59 seconds but at most a tenth of the lease, the same for
// the same job and cycle. It spreads the ends of leases and makes an accidental
// match of somebody else's begin time unlikely.
func jitter(job int64, seq uint64, length time.Duration) time.Duration {
	spread := uint64(max(1, min(59, length/10/time.Second)))
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(job))
	binary.LittleEndian.PutUint64(b[8:], seq)
	h.Write(b[:])
	return time.Duration(1+h.Sum64()%spread) * time.Second
}
