package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Edits is the last look, between Diff and the ledger. It returns the edits
// that may be intended, in the order in which they should be sent, and why the
// others may not. It trusts nothing that earlier steps promised: what an edit
// relies on is read from the view and the book. Edits is pure and changes none
// of its input.
func Edits(in EditInput) ([]slurm.Edit, []bridge.Refusal) {
	g := &editor{in: in}
	if n := g.blanket(); n != nil {
		return nil, all(in.Edits, n)
	}
	g.facts = newFacts(in.State)
	g.budget = newStopBudget(&g.facts)
	g.left = WriteBudget(&in.Config, in.View, in.Interval) - in.Written
	g.untouched = in.Written == 0
	g.taken = map[slurm.JobField]bool{}
	for _, e := range g.sorted() {
		g.one(e)
	}
	sortRefusals(g.refused)
	return g.accepted, g.refused
}

type editor struct {
	facts
	in        EditInput
	budget    *stopBudget
	left      int                     // of the write budget, in tasks
	untouched bool                    // nothing has been let through in this cycle
	taken     map[slurm.JobField]bool // fields that an edit let through writes
	accepted  []slurm.Edit
	refused   []bridge.Refusal
}

// blanket says why nothing at all may be sent.
func (g *editor) blanket() *denial {
	in := &g.in
	return first(
		func() *denial {
			if !in.Mode.Allows(bridge.Rank) {
				return deny(invariant.WithinMode, "mode %s sends nothing", cmp.Or(in.Mode, bridge.Off))
			}
			return nil
		},
		in.staleOrBlind, in.unled,
		func() *denial {
			if in.Book == nil {
				return deny(invariant.OnlyOurs, "there is no ledger")
			}
			return nil
		},
	)
}

func all(edits []slurm.Edit, n *denial) []bridge.Refusal {
	rs := make([]bridge.Refusal, len(edits))
	for i, e := range edits {
		rs[i] = refusal(e, n)
	}
	sortRefusals(rs)
	return rs
}

func refusal(e slurm.Edit, n *denial) bridge.Refusal {
	return bridge.Refusal{Job: policy.JobID(e.Run.Job), Invariant: n.ID, Why: string(e.Kind) + ": " + n.Why}
}

// claim is an edit with all that is known of its job.
type claim struct {
	actuator.Claim
	tasks int
}

func (g *editor) claim(e slurm.Edit) claim {
	c := claim{actuator.Claim{Job: g.View.Job(e.Run.Job), Planned: g.job(e.Run.Job)}, max(e.Tasks, 1)}
	if c.Job != nil {
		c.Claim = g.facts.claim(c.Planned, c.Job)
		c.Book = g.in.Book
		c.Standing = g.in.Book.Standing(c.Job.Run(), e.Kind.Field(), g.at)
		var own *bridge.Before
		if c.Standing != nil {
			own = &c.Standing.Before
		}
		c.Back = actuator.GivesBack(e, own)
	}
	if c.Planned != nil {
		c.tasks = max(c.tasks, c.Planned.Tasks)
	}
	c.Edit, c.Row = e, actuator.Of(e.Kind)
	return c
}

// sorted returns the claims, those first that should use up the budget first.
func (g *editor) sorted() []claim {
	cs := make([]claim, len(g.in.Edits))
	for i, e := range g.in.Edits {
		cs[i] = g.claim(e)
	}
	slices.SortStableFunc(cs, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.Turn(), b.Turn()), cmp.Compare(g.rank(&a), g.rank(&b)),
			cmp.Compare(a.Run.Job, b.Run.Job), cmp.Compare(a.Kind, b.Kind), compareRest(a.Edit, b.Edit))
	})
	return cs
}

// compareRest makes the order total, so that the order of the input is of no
// consequence.
func compareRest(a, b slurm.Edit) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), a.Until.Compare(b.Until), slices.Compare(a.Nodes, b.Nodes),
		cmp.Compare(a.Array, b.Array), cmp.Compare(a.Signal, b.Signal), cmp.Compare(a.Tasks, b.Tasks), cmp.Compare(a.Why, b.Why),
		cmp.Compare(a.Run.Submit, b.Run.Submit), cmp.Compare(a.Run.Restarts, b.Run.Restarts), cmp.Compare(a.Run.SLUID, b.Run.SLUID))
}

// rank is the place a stop has among the stops Plan let through; others go by
// job.
func (g *editor) rank(c *claim) int {
	switch c.Row.Stops {
	case actuator.StopsNow:
		return slices.IndexFunc(g.in.Allowed, func(s bridge.Stop) bool { return s.Job == c.Run.Job })
	case actuator.StopsLater: // after the requeues, whose grace is over
		return len(g.in.Allowed) + slices.IndexFunc(g.in.Warns, func(w bridge.Warn) bool { return w.Job == c.Run.Job })
	}
	return 0
}

func (g *editor) one(c claim) {
	if n := g.check(&c); n != nil {
		g.refused = append(g.refused, refusal(c.Edit, n))
		return
	}
	at := c.Writes()
	g.taken[at] = true
	g.left, g.untouched = g.left-c.tasks, false
	switch c.Row.Stops {
	case actuator.StopsNow:
		g.budget.add(*g.stopOfPlan(c.Run.Job))
	case actuator.StopsLater:
		g.budget.add(g.warnOfPlan(c.Run.Job).Stop)
	}
	c.Tasks = c.tasks
	g.accepted = append(g.accepted, c.Edit)
}

// stopOfPlan returns the stop of the job that Plan let through, or nil.
func (g *editor) stopOfPlan(job int64) *bridge.Stop {
	for i := range g.in.Allowed {
		if g.in.Allowed[i].Job == job {
			return &g.in.Allowed[i]
		}
	}
	return nil
}

// warnOfPlan returns the warning of the job that Plan let through, or nil.
func (g *editor) warnOfPlan(job int64) *bridge.Warn {
	for i := range g.in.Warns {
		if g.in.Warns[i].Job == job {
			return &g.in.Warns[i]
		}
	}
	return nil
}

// check says why an edit may not be sent. The budgets come last, so that only
// what could be sent is counted.
func (g *editor) check(c *claim) *denial {
	return first(
		func() *denial { return shape(c.Edit) },
		func() *denial { return g.identity(c) },
		func() *denial { return untouchable(c.Job) },
		func() *denial { return g.scope(c) },
		func() *denial { return g.allowedMode(c) },
		func() *denial { return g.ours(c) },
		func() *denial { return g.kind(c) },
		func() *denial { return g.cool(c) },
		func() *denial { return g.affordable(c) },
	)
}
