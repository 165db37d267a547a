package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// A RunLength says how much longer an entry runs from now, or would if started
// now; ok is false when that is not known.
type RunLength func(*Round, *Entry) (d time.Duration, ok bool)

// RunLengthByLimit takes the time limit. A running job beyond its limit ends now.
func RunLengthByLimit(r *Round, e *Entry) (time.Duration, bool) {
	if end, ok := e.LatestEnd(); ok {
		return max(end.Sub(r.Now), 0), true
	}
	return e.Limit, e.Limit > 0 && !e.HoldsGPUs()
}

// RunLengthByEstimate takes the prediction and one standard error, and the time limit
// where that is shorter or nothing is predicted.
func RunLengthByEstimate(r *Round, e *Entry) (time.Duration, bool) {
	limit, ok := RunLengthByLimit(r, e)
	if d := e.onPlannedSize(e.Estimate().TimeLeft + e.Estimate().TimeLeftSigma); e.Estimate().TimeLeft > 0 && (!ok || d < limit) {
		return d, true
	}
	return limit, ok
}

// onPlannedSize is how long a job that is to start takes on WantedDeviceCount for what takes it so long on
// what it asks.
func (e *Entry) onPlannedSize(onAsked time.Duration) time.Duration {
	if !e.startsOnOtherSize() || e.WantedDeviceCount == 0 {
		return onAsked
	}
	speed := scaling.New(e.Job).Speed(scaling.Size{Type: e.GangAsk().GPUs.Type, Devices: e.WantedDeviceCount})
	if speed <= 0 {
		return math.MaxInt64
	}
	return policy.DurationFromSeconds(onAsked.Seconds() / speed)
}

// RunLengthByReport takes the estimate of a job that reports its own progress, as
// RunLengthByEstimate does, and the time limit of every other.
func RunLengthByReport(r *Round, e *Entry) (time.Duration, bool) {
	if e.Training.TellsWork() {
		return RunLengthByEstimate(r, e)
	}
	return RunLengthByLimit(r, e)
}

// RunLengthByForecast takes the prediction and one standard error where the prediction
// has one or is exact, and the time limit where that is shorter or there is none: a limit
// times what its owner usually takes of it is no forecast.
func RunLengthByForecast(r *Round, e *Entry) (time.Duration, bool) {
	if e.Estimate().TimeLeftSigma > 0 || e.Estimate().IsExact() {
		return RunLengthByEstimate(r, e)
	}
	return RunLengthByLimit(r, e)
}

// Reservation is the first time at which a blocked job has room, as far as
// known, and a place for it then.
type Reservation struct {
	Entry        *Entry
	StartsIn     time.Duration // from now
	IsStartKnown bool          // In is known; otherwise it waits for a job of unknown end
	Alloc        policy.Alloc  // where; nil when there is never room

	round      *Round
	runLength  RunLength
	futurePool *pool.Pool // what is free then, less what jobs hold that passed and still run
	lastPass   passedJob
}

// passedJob is the last job that was let pass and would still run. It holds nothing if
// another check objected to it.
type passedJob struct {
	entry    *Entry // nil: there is none
	alloc    policy.Alloc
	undoMark int // of the futurePool before it took the devices
}

// Reserve lets the jobs that hold devices end one after the other, and nodes
// come back from being set aside, until the entry has room for its whole time
// limit. Jobs of unknown length end last, one by one in order of their ids: if
// all ended together, all that any of them leaves would be left over.
func Reserve(r *Round, e *Entry, length RunLength) *Reservation {
	v := &Reservation{Entry: e, round: r, runLength: length, futurePool: r.FreePool.Clone()}
	v.awaitRoom()
	return v
}

// awaitRoom lets time pass in the futurePool until the entry has room.
func (v *Reservation) awaitRoom() {
	r, e := v.round, v.Entry
	a, all := e.GangAsk(), v.listReleases()
	for i, h := range all {
		h.giveBack(v.futurePool)
		if h.isTimeKnown && i+1 < len(all) && all[i+1].timeLeft == h.timeLeft && all[i+1].isTimeKnown {
			continue // ends with the next one
		}
		if h.isTimeKnown {
			v.futurePool.AdvanceTo(r.Now.Add(h.timeLeft))
		}
		if on, err := pool.Fit(v.futurePool, e.Partition, a); err == nil {
			v.StartsIn, v.IsStartKnown, v.Alloc = h.timeLeft, h.isTimeKnown, on
			return
		}
	}
}

// release is a moment at which something comes free: what a job holds, cores and
// memory of a node, or a node that was set aside.
type release struct {
	timeLeft    time.Duration // from now
	isTimeKnown bool
	alloc       policy.Alloc
	nodeIndex   int // where on is empty
	cpus        int
	memMB       int64
	job         policy.JobID
}

// giveBack gives back in the pool what comes free.
func (x release) giveBack(p *pool.Pool) {
	if len(x.alloc) > 0 {
		p.GiveBack(x.alloc, x.cpus, x.memMB)
		return
	}
	p.GiveBackCPUsAndMemory(x.nodeIndex, x.cpus, x.memMB)
}

func (v *Reservation) listReleases() []release {
	var all []release
	for _, e := range v.round.Entries {
		if len(e.PlannedAlloc) == 0 {
			continue
		}
		left, known := v.runLength(v.round, e)
		if !known {
			left = 0
		}
		a := e.heldAsk()
		all = append(all, release{timeLeft: left, isTimeKnown: known, alloc: e.PlannedAlloc, cpus: a.CPUs, memMB: a.MemMB, job: e.ID})
	}
	for i := range v.round.Nodes {
		all = append(all, listNodeReleases(&v.round.Nodes[i], i, v.round.Now)...)
	}
	slices.SortFunc(all, func(a, b release) int {
		if a.isTimeKnown != b.isTimeKnown && a.isTimeKnown {
			return -1
		} else if a.isTimeKnown != b.isTimeKnown {
			return 1
		}
		return cmp.Or(cmp.Compare(a.timeLeft, b.timeLeft), cmp.Compare(a.job, b.job), cmp.Compare(a.nodeIndex, b.nodeIndex))
	})
	return all
}

// listNodeReleases returns when jobs outside the snapshot give back what they hold of
// the node, and when windows end.
func listNodeReleases(n *policy.Node, i int, now time.Time) (all []release) {
	for _, o := range n.OtherUses {
		x := release{timeLeft: max(o.Until.Sub(now), 0), isTimeKnown: !o.Until.IsZero(), nodeIndex: i, cpus: o.CPUs, memMB: o.MemMB}
		if !x.isTimeKnown {
			x.timeLeft = 0
		}
		all = append(all, x)
	}
	for k := range n.Windows {
		if w := &n.Windows[k]; w.To.After(now) {
			all = append(all, release{timeLeft: w.To.Sub(now), isTimeKnown: true, nodeIndex: i})
		}
	}
	return all
}

// heldAsk returns what the pool has taken for an entry with devices.
func (e *Entry) heldAsk() policy.Ask {
	switch {
	case !e.HoldsGPUs() || e.verdict.verb == policy.Resize:
		return e.GangAsk()
	case e.verdict.verb == policy.Move:
		return e.Ask.WithAmounts(e.WantedAmounts)
	}
	return e.Ask.WithAmounts(e.Given)
}

// CheckPass lets a job pass that ends before the reservation begins, or that
// leaves the blocked one room to start then, on whatever nodes. Its error
// wraps ErrReservedNodes: the job might pass on other nodes.
func (v *Reservation) CheckPass(e *Entry, on policy.Alloc) error {
	if v.Alloc == nil {
		return nil
	}
	v.settleLastPass()
	left, known := v.runLength(v.round, e)
	if v.IsStartKnown && known && left <= v.StartsIn {
		return nil
	}
	mark, a := v.futurePool.UndoMark(), e.GangAsk()
	v.futurePool.Overdraw(on, a.CPUs, a.MemMB) // it may take the place of a job that would still run
	if v.futurePool.Fits(v.Entry.Partition, v.Entry.GangAsk()) {
		v.lastPass = passedJob{e, on, mark}
		return nil
	}
	v.futurePool.Rewind(mark)
	return &delayError{v}
}

// delayError is an ErrReservedNodes that names whom a job would delay. It is made often and read seldom.
type delayError struct{ of *Reservation }

// Error implements error.
func (e *delayError) Error() string {
	return fmt.Sprintf("would delay job %s, which %s: %v", e.of.Entry.Label(), e.of.describeStart(), ErrReservedNodes)
}

// Unwrap makes it an ErrReservedNodes.
func (e *delayError) Unwrap() error { return ErrReservedNodes }

// settleLastPass gives back what the last job took that was let pass, if it did not start
// there.
func (v *Reservation) settleLastPass() {
	if p := v.lastPass; p.entry != nil && !p.entry.PlannedAlloc.Equal(p.alloc) {
		v.futurePool.Rewind(p.undoMark)
	}
	v.lastPass = passedJob{}
}

func (v *Reservation) describeStart() string {
	if !v.IsStartKnown {
		return fmt.Sprintf("waits for %v until a job of unknown length ends", v.Alloc)
	}
	return fmt.Sprintf("starts on %v in %s at the latest", v.Alloc, policy.FormatDuration(v.StartsIn))
}
