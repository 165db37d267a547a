package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// A Length says how much longer an entry runs from now, or would if started
// now; ok is false when that is not known.
type Length func(*Round, *Entry) (d time.Duration, ok bool)

// ByLimit takes the time limit. A running job beyond its limit ends now.
func ByLimit(r *Round, e *Entry) (time.Duration, bool) {
	if end, ok := e.LatestEnd(); ok {
		return max(end.Sub(r.Now), 0), true
	}
	return e.Limit, e.Limit > 0 && !e.HoldsGPUs()
}

// ByEstimate takes the prediction and one standard error, and the time limit
// where that is shorter or nothing is predicted.
func ByEstimate(r *Round, e *Entry) (time.Duration, bool) {
	limit, ok := ByLimit(r, e)
	if d := e.Estimate.Left + e.Estimate.Sigma; e.Estimate.Left > 0 && (!ok || d < limit) {
		return d, true
	}
	return limit, ok
}

// ByForecast takes the prediction and one standard error where the prediction
// has one, and the time limit where that is shorter or there is none: a limit
// times what its owner usually takes of it is no forecast.
func ByForecast(r *Round, e *Entry) (time.Duration, bool) {
	if e.Estimate.Sigma > 0 {
		return ByEstimate(r, e)
	}
	return ByLimit(r, e)
}

// Reservation is the first time at which a blocked job has room, as far as
// known, and a place for it then.
type Reservation struct {
	Entry      *Entry
	StartsIn   time.Duration // from now
	StartKnown bool          // In is known; otherwise it waits for a job of unknown end
	On         policy.Alloc  // where; nil when there is never room

	round  *Round
	length Length
	future *pool.Pool // what is free then, less what jobs hold that passed and still run
}

// Reserve lets the jobs that hold devices end one after the other, and nodes
// come back from being set aside, until the entry has room for its whole time
// limit. Jobs of unknown length end last, one by one in order of their ids: if
// all ended together, all that any of them leaves would be left over.
func Reserve(r *Round, e *Entry, length Length) *Reservation {
	v := &Reservation{Entry: e, round: r, length: length, future: r.Free.Clone()}
	a, all := e.Gang(), v.listEndings()
	for i, h := range all {
		h.giveBack(v.future)
		if h.known && i+1 < len(all) && all[i+1].left == h.left && all[i+1].known {
			continue // ends with the next one
		}
		if h.known {
			v.future.Advance(r.Now.Add(h.left))
		}
		if on, err := pool.Fit(v.future, e.Partition, a); err == nil {
			v.StartsIn, v.StartKnown, v.On = h.left, h.known, on
			break
		}
	}
	return v
}

// ending is a moment at which something comes free: what a job holds, cores and
// memory of a node, or a node that was set aside.
type ending struct {
	left  time.Duration // from now
	known bool
	on    policy.Alloc
	node  int // where on is empty
	cpus  int
	mem   int64
	id    policy.JobID
}

// giveBack gives back in the pool what comes free.
func (x ending) giveBack(p *pool.Pool) {
	if len(x.on) > 0 {
		p.Give(x.on, x.cpus, x.mem)
		return
	}
	p.GiveNode(x.node, x.cpus, x.mem)
}

func (v *Reservation) listEndings() []ending {
	var all []ending
	for _, e := range v.round.Entries {
		if len(e.Planned) == 0 {
			continue
		}
		left, known := v.length(v.round, e)
		if !known {
			left = 0
		}
		a := e.heldAsk()
		all = append(all, ending{left: left, known: known, on: e.Planned, cpus: a.CPUs, mem: a.MemMB, id: e.ID})
	}
	for i := range v.round.Nodes {
		all = append(all, listNodeEndings(&v.round.Nodes[i], i, v.round.Now)...)
	}
	slices.SortFunc(all, func(a, b ending) int {
		if a.known != b.known && a.known {
			return -1
		} else if a.known != b.known {
			return 1
		}
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.id, b.id), cmp.Compare(a.node, b.node))
	})
	return all
}

// listNodeEndings returns when jobs outside the snapshot give back what they hold of
// the node, and when windows end.
func listNodeEndings(n *policy.Node, i int, now time.Time) (all []ending) {
	for _, o := range n.OtherUses {
		x := ending{left: max(o.Until.Sub(now), 0), known: !o.Until.IsZero(), node: i, cpus: o.CPUs, mem: o.MemMB}
		if !x.known {
			x.left = 0
		}
		all = append(all, x)
	}
	for k := range n.Windows {
		if w := &n.Windows[k]; w.To.After(now) {
			all = append(all, ending{left: w.To.Sub(now), known: true, node: i})
		}
	}
	return all
}

// heldAsk returns what the pool has taken for an entry with devices.
func (e *Entry) heldAsk() policy.Ask {
	if e.HoldsGPUs() && e.verdict.verb != policy.Resize {
		return e.Ask
	}
	return e.Gang()
}

// Pass lets a job pass that ends before the reservation begins, or that
// leaves the blocked one room to start then, on whatever nodes. Its error
// wraps ErrPlace: the job might pass on other nodes.
func (v *Reservation) Pass(e *Entry, on policy.Alloc) error {
	if v.On == nil {
		return nil
	}
	left, known := v.length(v.round, e)
	if v.StartKnown && known && left <= v.StartsIn {
		return nil
	}
	mark, a := v.future.Mark(), e.Gang()
	if v.future.Take(on, a.CPUs, a.MemMB) == nil && v.future.Fits(v.Entry.Partition, v.Entry.Gang()) {
		return nil
	}
	v.future.Rewind(mark)
	return fmt.Errorf("would delay job %d, which %s: %w", v.Entry.ID, v.describeStart(), ErrPlace)
}

func (v *Reservation) describeStart() string {
	if !v.StartKnown {
		return fmt.Sprintf("waits for %v until a job of unknown length ends", v.On)
	}
	return fmt.Sprintf("starts on %v in %v at the latest", v.On, v.StartsIn.Round(time.Second))
}
