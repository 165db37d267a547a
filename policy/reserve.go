package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Length says how much longer an entry runs from now, or would if started
// now; ok is false when nobody knows.
type Length func(*Round, *Entry) (d time.Duration, ok bool)

// ByLimit takes the time limit. A running job beyond its limit ends now.
func ByLimit(r *Round, e *Entry) (time.Duration, bool) {
	if end, ok := e.End(); ok {
		return max(end.Sub(r.Now), 0), true
	}
	return e.Limit, e.Limit > 0 && !e.Active()
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

// Reservation is the first time at which a blocked job has room, as far as
// known, and the room it then takes.
type Reservation struct {
	For   *Entry
	In    time.Duration // from now
	Known bool          // In is known; otherwise it waits for a job of unknown end
	On    Alloc         // where; nil when there is never room

	round  *Round
	length Length
	then   *Pool // what is free then, the reservation taken off
}

// Reserve lets the jobs that hold devices end one after the other until the
// entry has room. Those of unknown length end last.
func Reserve(r *Round, e *Entry, length Length) *Reservation {
	v := &Reservation{For: e, round: r, length: length, then: r.Free.Clone()}
	a, all := e.Gang(), v.holders()
	for i, h := range all {
		v.then.Give(h.Got, h.asks.CPUs, h.asks.MemMB)
		if i+1 < len(all) && all[i+1].left == h.left && all[i+1].known == h.known {
			continue // ends with the next one
		}
		if on, err := Fit(v.then, e.Partition, a); err == nil {
			v.In, v.Known, v.On = h.left, h.known, on
			v.then.change(on, -1, a.CPUs, a.MemMB)
			break
		}
	}
	return v
}

type holder struct {
	*Entry
	asks  Ask
	left  time.Duration
	known bool
}

func (v *Reservation) holders() []holder {
	var all []holder
	for _, e := range v.round.Entries {
		if len(e.Got) == 0 {
			continue
		}
		left, known := v.length(v.round, e)
		if !known {
			left = 0
		}
		all = append(all, holder{e, e.holds(), left, known})
	}
	slices.SortFunc(all, func(a, b holder) int {
		if a.known != b.known && a.known {
			return -1
		} else if a.known != b.known {
			return 1
		}
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// holds returns what the pool has taken for an entry with devices.
func (e *Entry) holds() Ask {
	if e.Active() && e.verdict.verb != Resize {
		return e.Ask
	}
	return e.Gang()
}

// Pass lets a job pass that ends before the reservation begins, or that takes
// only devices the reservation leaves over (which are then taken). Its error
// wraps ErrPlace: the job might pass on other nodes.
func (v *Reservation) Pass(e *Entry, on Alloc) error {
	if v.On == nil {
		return nil
	}
	left, known := v.length(v.round, e)
	if v.Known && known && left <= v.In {
		return nil
	}
	a := e.Gang()
	if v.then.Take(on, a.CPUs, a.MemMB) == nil {
		return nil
	}
	return fmt.Errorf("would delay job %d, which %s: %w", v.For.ID, v.when(), ErrPlace)
}

func (v *Reservation) when() string {
	if !v.Known {
		return fmt.Sprintf("waits for %v until a job of unknown length ends", v.On)
	}
	return fmt.Sprintf("starts on %v in %v at the latest", v.On, v.In.Round(time.Second))
}
