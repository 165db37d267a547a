package astraea

import (
	"cmp"
	"container/heap"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// hearing decides who gets a lease.
type hearing struct {
	*court
	*engine.Round
	tenants []*tenant // by name
	free    *supply
	kept    []*petition // within their lease
	granted []*petition // a new lease
}

// hear holds the hearing and writes the line.
func (c *court) hear(r *engine.Round) {
	h := &hearing{court: c, Round: r, free: newSupply(r.Snapshot)}
	h.petition()
	h.keep()
	h.serve(h.grant)
	h.makeWay()
	for _, t := range h.tenants {
		t.jobs, t.late = append(t.late, t.jobs...), nil
	}
	var waiting []*petition
	h.serve(func(p *petition) bool {
		waiting = append(waiting, p)
		return true
	})
	for _, list := range [][]*petition{h.kept, h.granted, waiting} {
		for _, p := range list {
			c.line = append(c.line, p.Entry)
		}
	}
	h.rest()
}

// petition makes a petition of every job that runs or could start.
func (h *hearing) petition() {
	byName, ends, can := map[string]*tenant{}, newEndings(h.History), newPossible(h.Snapshot)
	for i, e := range h.Round.Entries {
		if !h.Startable(e) {
			continue
		}
		t := byName[e.Account]
		if t == nil {
			t = h.tenant(e.Account)
			byName[e.Account] = t
			h.tenants = append(h.tenants, t)
		}
		p := &petition{Entry: e, tenant: t, lease: max(h.Lease, 20*e.Checkpoint)}
		p.starved = e.Waited(h.Now) >= h.Starve && can.run(e.Job)
		p.step = step(over(float64(e.Attained), float64(h.deserved.Sums[i])), h.Levels)
		p.reward = ends.reward(p)
		h.petitions[e] = p
	}
	slices.SortFunc(h.tenants, func(a, b *tenant) int { return cmp.Compare(a.name, b.name) })
}

func (h *hearing) tenant(name string) *tenant {
	t := &tenant{name: name, quota: h.quota[name], favour: h.Favour}
	t.window = t.quota * (h.Window + h.Lease).Seconds()
	if a := h.Account(name); a != nil {
		t.recent = float64(a.Recent)
	}
	return t
}

// keep lets jobs within their lease hold what they have, charged for the rest
// of the lease, and puts the others before the court.
func (h *hearing) keep() {
	starving := false
	for _, p := range h.petitions {
		starving = starving || p.starved
	}
	for _, e := range h.Round.Entries {
		p := h.petitions[e]
		switch {
		case p == nil:
		case e.Active() && !h.ended(p, starving):
			p.granted = true
			p.tenant.promise(p.gpus(), p.lease-e.Ran(h.Now)%p.lease)
			h.free.hold(h.Snapshot, e)
			h.kept = append(h.kept, p)
		default:
			p.tenant.jobs = append(p.tenant.jobs, p)
		}
	}
	slices.SortFunc(h.kept, func(a, b *petition) int { return engine.ByTenure(a.Entry, b.Entry) })
	for _, t := range h.tenants {
		slices.SortFunc(t.jobs, (*petition).compare)
	}
}

// bound reports whether a running job cannot be stopped whatever we decide.
func (h *hearing) bound(e *engine.Entry) bool {
	return e.Fixed != "" || e.State != policy.Running || h.MaxStops > 0 && e.Stops >= h.MaxStops
}

// ended reports whether a lease of the running job ended since the last round.
// While a job starves, leases that ended before count too: they were not
// renewed but for want of somebody to give way to.
func (h *hearing) ended(p *petition, starving bool) bool {
	if h.bound(p.Entry) || !h.past.At.Before(h.Now) {
		return false
	}
	ran := p.Ran(h.Now)
	if starving || h.past.At.IsZero() {
		return ran >= p.lease
	}
	before := max(h.past.At.Sub(p.Start), 0)
	return ran/p.lease > before/p.lease
}

// serve hears the accounts in turn, each with its next job. A starving job that
// is not granted ends the hearing: what is free is kept for it.
func (h *hearing) serve(grant func(*petition) bool) {
	queue := slices.Clone(tenants(h.tenants))
	heap.Init(&queue)
	for len(queue) > 0 {
		t := queue[0]
		if len(t.jobs) == 0 {
			heap.Pop(&queue)
			continue
		}
		p := t.jobs[0]
		t.jobs = t.jobs[1:]
		p.Note = p.note()
		if grant(p) {
			t.promise(p.gpus(), p.lease)
			heap.Fix(&queue, 0)
			continue
		}
		t.late = append(t.late, p)
		if p.starved {
			return
		}
	}
}

func (h *hearing) grant(p *petition) bool {
	if !h.free.grant(p.Entry) {
		return false
	}
	p.granted = true
	h.granted = append(h.granted, p)
	return true
}

// rest puts jobs that cannot start last, by arrival.
func (h *hearing) rest() {
	n := len(h.line)
	for _, e := range h.Round.Entries {
		if h.petitions[e] == nil {
			h.line = append(h.line, e)
		}
	}
	slices.SortFunc(h.line[n:], engine.ByArrival)
}
