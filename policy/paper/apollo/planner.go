package apollo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// How many jobs are planned together, and how many in a round: as many as Slurm's backfill tests by
// default. Those behind stand by arrival, without a plan.
const (
	windowJobs  = 64
	plannedJobs = 512
)

// planner is an engine.Allocator: it plans jobs for GPU types, and lets those start whose wait is over.
type planner struct {
	*Policy
	before, after memory
	gpuTypes      []string
	healthyPart   map[string]float64 // of a type's GPUs
	meanLength    time.Duration      // of jobs of known length
	waits         *backfill.Waits
	given         []givenPlan // by entry
}

// givenPlan is what a job is planned for.
type givenPlan struct {
	option
	isPlanned bool
	kept      plan
}

// Allocate implements engine.Allocator: what runs, then jobs by when they are planned to start, then the others
// by arrival.
func (a *planner) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	a.prepare(r)
	line := a.listWaiting(r)
	for len(line) > 0 {
		n := 1 // those with a plan keep their turn
		if line[0].planned < 0 {
			n = min(len(line), windowJobs)
		}
		a.planWindow(r, line[:n])
		line = line[n:]
	}
	turns := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		g := &a.given[i]
		turns[i] = e.AssignmentWithoutLease()
		turns[i].Grant = engine.Grant{HasLease: e.HoldsGPUs() || g.isPlanned, GPUType: g.gpuType}
		if g.isPlanned {
			a.after.keep(e.ID, g.kept)
			turns[i].Note = a.noteFor(r, g)
		}
	}
	slices.SortFunc(turns, func(x, y engine.Assignment) int { return a.compare(x.Entry, y.Entry) })
	return turns, nil
}

func (a *planner) noteFor(r *engine.Round, g *givenPlan) string {
	if r.OmitReasons {
		return ""
	}
	return fmt.Sprintf("planned for %s: %s of wait and %s of run are the least", g.gpuType, policy.FormatDuration(g.wait), policy.FormatDuration(g.run))
}

// compare puts what runs first, then plans by their start, then the others.
func (a *planner) compare(x, y *engine.Entry) int {
	group := func(e *engine.Entry) int {
		switch {
		case e.HoldsGPUs():
			return 0
		case a.given[e.Index].isPlanned:
			return 1
		}
		return 2
	}
	return engine.ThenArrival(cmp.Or(cmp.Compare(group(x), group(y)), cmp.Compare(a.given[x.Index].wait, a.given[y.Index].wait)), x, y)
}

// prepare counts what there is.
func (a *planner) prepare(r *engine.Round) {
	a.gpuTypes, a.healthyPart, a.given = r.GPUTypes(), map[string]float64{}, make([]givenPlan, len(r.Entries))
	all := map[string]int{}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			all[d.Type] += d.Count
			a.healthyPart[d.Type] += float64(d.Count - d.SickCount)
		}
	}
	for t, n := range all {
		a.healthyPart[t] /= float64(max(n, 1))
	}
	sum, n := time.Duration(0), time.Duration(0)
	for _, e := range r.Entries {
		if e.Estimate().TimeLeft > 0 {
			sum, n = sum+min(e.Estimate().TimeLeft, farWorse*time.Second/time.Duration(len(r.Entries))), n+1
		}
	}
	if a.meanLength = time.Hour; n > 0 {
		a.meanLength = sum / n
	}
	a.waits = backfill.NewWaits(r, a.runLength)
}

// runLength is how long a job that runs is thought to run on; GPUs that are lent are back in time.
func (a *planner) runLength(r *engine.Round, e *engine.Entry) (time.Duration, bool) {
	switch limit, ok := engine.RunLengthByLimit(r, e); {
	case r.RecallWithin > 0 && e.IsOpportunistic():
		return r.RecallWithin, true
	case e.Estimate().TimeLeft > 0 && ok:
		return min(e.Estimate().TimeLeft+time.Duration(a.Sigma*float64(e.Estimate().TimeLeftSigma)), limit), true
	case e.Estimate().TimeLeft > 0:
		return e.Estimate().TimeLeft + time.Duration(a.Sigma*float64(e.Estimate().TimeLeftSigma)), true
	case ok:
		return limit, true
	}
	return a.meanLength, true
}

// listWaiting returns the jobs to be planned: those that have a plan in the order in which they were to start, then the
// others, first come, first served. Jobs that run on what others leave get no plan.
func (a *planner) listWaiting(r *engine.Round) []*candidate {
	var line []*candidate
	for _, e := range r.Entries {
		if lent := r.RecallWithin > 0 && e.IsOpportunistic(); !e.HoldsGPUs() && r.MayRun(e) && !lent {
			line = append(line, a.newCandidate(r, e))
		}
	}
	slices.SortFunc(line, func(x, y *candidate) int {
		if isNew := x.planned < 0; isNew != (y.planned < 0) || isNew {
			return engine.ThenArrival(cmp.Compare(min(y.planned, 0), min(x.planned, 0)), x.Entry, y.Entry)
		}
		return engine.ThenArrival(x.kept.Start.Compare(y.kept.Start), x.Entry, y.Entry)
	})
	return line[:min(len(line), plannedJobs)]
}
