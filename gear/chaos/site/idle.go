package site

import (
	"encoding/binary"
	"hash/fnv"
	"time"
)

// idlePolicies stop few jobs themselves.
var idlePolicies = []string{"fifo", "easy", "drf", "fairbridge", "astraea"}

// AllowsIdleStop reports whether the owner of the nth job allows that it is requeued when its GPUs do no work.
func (s Site) AllowsIdleStop(n int) bool { return s.StopIdleAfter > 0 && s.pick(4, int64(n), -1) > 0 }

// workSlot is how long a job computes at a stretch, or does nothing; longer than the longest gap between readings that
// nothing is missed in.
const workSlot = 6 * time.Minute

// Works reports whether a job uses its GPUs at a moment: some always do, some never, some now and then.
func (s Site) Works(job int64, at time.Time) bool {
	switch s.pick(3, job, 0) {
	case 0:
		return true
	case 1:
		return false
	}
	return s.pick(4, job, at.Unix()/int64(workSlot.Seconds())) == 0
}

// IdleSince returns since when a job that runs since start has not worked, up to a moment; the moment itself where it works.
func (s Site) IdleSince(job int64, start, at time.Time) time.Time {
	since := at
	for since.After(start) && !s.Works(job, since.Add(-time.Nanosecond)) {
		since = since.Add(-time.Nanosecond).Truncate(workSlot)
	}
	if since.Before(start) {
		return start
	}
	return since
}

// silentSlot is how long a probe that does not answer stays silent, at least; two of them are longer than the longest gap.
const silentSlot = 4 * time.Minute

// SilentSince returns since when the probe of a node, by number, measures nothing at a moment; the moment itself: it does measure.
func (s Site) SilentSince(node int, at time.Time) time.Time {
	since := at
	for s.pick(5, -1-int64(node), since.Add(-time.Nanosecond).Unix()/int64(silentSlot.Seconds())) == 0 {
		since = since.Add(-time.Nanosecond).Truncate(silentSlot)
	}
	return since
}

// pick draws a number below n, the same for the same site, thing and time.
func (s Site) pick(n uint64, thing, slot int64) uint64 {
	h := fnv.New64a()
	for _, x := range []uint64{s.Seed, uint64(thing), uint64(slot)} {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, x))
	}
	return h.Sum64() >> 17 % n
}
