package themis

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/market"
)

// round is one round of Themis: the line by ρ, and who holds a lease.
type round struct {
	*Policy
	last *leases

	now   time.Time
	gpus  float64   // that are up
	all   []suitor  // in Entries order
	crowd []float64 // see leases.Crowd
	won   []bool    // by row
}

// Order implements engine.Orderer.
func (m *round) Order(r *engine.Round) ([]*engine.Entry, error) {
	m.open(r)
	order := make([]*suitor, len(m.all))
	for i := range m.all {
		order[i] = &m.all[i]
	}
	slices.SortFunc(order, (*suitor).compare)
	line := make([]*engine.Entry, len(order))
	for i, a := range order {
		line[i] = a.Entry
	}
	return line, nil
}

// open finds every job's ratio.
func (m *round) open(r *engine.Round) {
	m.now = r.Now
	for i := range r.Nodes {
		if r.Nodes[i].Down == "" {
			m.gpus += r.Nodes[i].Whole()
		}
	}
	m.all, m.crowd = make([]suitor, len(r.Entries)), make([]float64, len(r.Entries))
	crowded, unknown, next := float64(present(r)), time.Hour, 0
	if len(r.History) > 0 {
		unknown = predict.MedianRun(r.History)
	}
	for i, e := range r.Entries {
		a := &m.all[i]
		a.Entry, a.row, a.part = e, i, 1
		next = m.recall(a, next, crowded)
		crowd := crowded
		if age := m.now.Sub(e.Arrive).Seconds(); age > 0 {
			crowd = m.crowd[i] / age
		}
		m.assess(a, m.now, crowd, unknown)
		if !r.Terse {
			e.Note = a.note()
		}
	}
}

// present counts the jobs that run or could.
func present(r *engine.Round) (n int) {
	for _, e := range r.Entries {
		if r.Startable(e) {
			n++
		}
	}
	return n
}

// recall takes over what is remembered of a job; next is where to look.
func (m *round) recall(a *suitor, next int, present float64) int {
	for next < len(m.last.Jobs) && m.last.Jobs[next] < a.ID {
		next++
	}
	since := a.Arrive
	if next < len(m.last.Jobs) && m.last.Jobs[next] == a.ID {
		m.crowd[a.row], since = m.last.Crowd[next], policy.Later(m.last.At, since)
		a.until = m.last.Until[next]
	}
	m.crowd[a.row] += present * max(m.now.Sub(since).Seconds(), 0)
	if a.Active() {
		a.until = policy.Later(a.until, a.Start.Add(m.Policy.Lease))
	} else {
		a.until = time.Time{}
	}
	return next
}

// Lease implements engine.Leaser.
func (m *round) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	m.won = make([]bool, len(m.all))
	free := grant.NewCounts(r)
	var rivals []*suitor // in line order
	for _, e := range line {
		a := m.of(e)
		switch {
		case !grant.Competes(r, e):
		case e.Active() && a.until.After(m.now):
			m.won[a.row] = true
			for _, slot := range e.On {
				free.Take(slot.Type, slot.Count)
			}
		default:
			rivals = append(rivals, a)
		}
	}
	bidders := rivals[:bidding(len(rivals), m.Fairness)]
	m.auction(free, bidders)
	m.leftover(free, rivals[len(bidders):])
	m.leftover(free, bidders)
	grants := make([]engine.Grant, len(line))
	for i, e := range line {
		grants[i].Run = m.won[m.of(e).row]
	}
	return grants, nil
}

// of returns the suitor of an entry; entries are in order of job.
func (m *round) of(e *engine.Entry) *suitor {
	i, _ := slices.BinarySearchFunc(m.all, e.ID, func(a suitor, id policy.JobID) int { return int(a.ID - id) })
	return &m.all[i]
}

// bidding returns how many of n jobs bid: at least the worst off.
func bidding(n int, fairness float64) int {
	return min(max(int(math.Ceil((1-fairness)*float64(n)-1e-9)), 1), n)
}

// auction divides what is free among the bidders, type by type.
func (m *round) auction(free grant.Counts, bidders []*suitor) {
	for k, lot := range m.lots(free, bidders) {
		a := market.Auction{Units: free[k].Free, Bids: make([][]market.Bid, len(lot))}
		for i, b := range lot {
			a.Bids[i] = []market.Bid{{Units: b.Want, Gain: max(b.gain(1), 1e-9)}}
		}
		won := a.Winners()
		var kept []float64
		if m.Truthful {
			kept = a.KeptParts(won)
		}
		for i, b := range lot {
			if won[i] < 0 || !free.Take(free[k].Type, b.Want) {
				continue
			}
			m.won[b.row] = true
			if m.Truthful {
				b.part = kept[i]
			}
		}
	}
}

// lots divides the bidders by the type they bid for: their own, or for those
// that take any the one with most left when their turn comes.
func (m *round) lots(free grant.Counts, bidders []*suitor) [][]*suitor {
	lots, left := make([][]*suitor, len(free)), make([]int, len(free))
	for k := range free {
		left[k] = free[k].Free
	}
	for _, b := range bidders {
		at := -1
		for k := range free {
			typ := b.Ask.GPUs.Type
			if typ == free[k].Type || typ == "" && !free[k].Slice && (at < 0 || left[k] > left[at]) {
				at = k
			}
		}
		if at >= 0 && b.Want <= free[at].Free {
			lots[at] = append(lots[at], b)
			left[at] -= b.Want
		}
	}
	return lots
}

// leftover gives what the auction left: first to those that run, who then need
// not stop, then by ρ.
func (m *round) leftover(free grant.Counts, rest []*suitor) {
	for _, running := range []bool{true, false} {
		for _, a := range rest {
			if a.Active() == running && !m.won[a.row] && free.Take(a.Ask.GPUs.Type, a.Want) {
				m.won[a.row] = true
			}
		}
	}
}
