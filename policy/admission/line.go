// Package admission promises jobs that they will be done by their deadlines, and plans in which leases, equal spans of
// time, they run for that, as late as can be. A job is promised its deadline where it and all that were promised theirs
// before find room; what the plans leave is for others. It counts devices by GPU type: where gangs find their nodes is not seen here.
//
// Plans are kept from decision to decision, so that what was promised holds as long as run times and devices are as they were thought to be.
package admission

import (
	"errors"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/leases"
)

// Line is the line of a round under way: who is served first, on how many devices.
type Line struct {
	planner  *Planner
	entries  []*engine.Entry
	sizes    []int
	promised map[policy.JobID]*Job
	standing []standing // by Entry.Index
	rest     []*engine.Entry
	planned  []leases.Free // by kind: what plans leave, be it given to a job or not
}

// standing is how a job stands in the line.
type standing int

const (
	absent  standing = iota - 1
	planned          // its plan has it in the present lease
	given            // it has devices that no plan needs
	without          // it has none for now
)

// NewLine begins a line.
func (p *Planner) NewLine() *Line {
	l := &Line{planner: p, promised: map[policy.JobID]*Job{}, standing: slices.Repeat([]standing{absent}, len(p.Round.Entries))}
	for _, j := range p.Promised {
		l.promised[j.ID] = j
	}
	for k := range p.Kinds {
		l.planned = append(l.planned, slices.Clone(p.Kinds[k].Left))
	}
	return l
}

// add puts a job in line. One that is in line stays where it is.
func (l *Line) add(e *engine.Entry, devices int, as standing) {
	if l.standing[e.Index] == absent {
		l.standing[e.Index] = as
		l.entries, l.sizes = append(l.entries, e), append(l.sizes, devices)
	}
}

// AddPlanned puts in line those promised jobs that their plans have in the present lease, by deadline.
func (l *Line) AddPlanned() {
	for _, j := range l.planner.Promised {
		if j.RunsNow() && grant.CompetesForLease(l.planner.Round, j.Entry) {
			l.add(j.Entry, j.Devices, planned)
		}
	}
}

// AddSpare puts jobs in line in their order, each with its devices if no plan needs them as long as it holds them.
func (l *Line) AddSpare(jobs []*engine.Entry) {
	for _, e := range jobs {
		switch {
		case l.standing[e.Index] != absent || !grant.CompetesForLease(l.planner.Round, e):
		case l.takeSpare(e):
			l.add(e, l.devicesOf(e), given)
		case l.planNow(l.promised[e.ID]):
			l.add(e, l.devicesOf(e), planned)
		default:
			l.standing[e.Index], l.rest = without, append(l.rest, e)
		}
	}
}

func (l *Line) devicesOf(e *engine.Entry) int {
	if j := l.promised[e.ID]; j != nil {
		return j.Devices
	}
	return e.DeviceCount()
}

// takeSpare takes devices for a job that no plan needs as long as it holds them: until the present lease ends if it runs
// and may be stopped, else for its shortest run, and to its end if it may not be stopped then. A promised job may run ahead of its plan if
// that bears one more restart.
func (l *Line) takeSpare(e *engine.Entry) bool {
	kind, own := l.planner.KindOf(e), l.promised[e.ID]
	if kind < 0 || own != nil && !own.mayRunEarly() {
		return false
	}
	left, devices := &l.planner.Kinds[kind].Left, l.devicesOf(e)
	span := l.planner.held(e, devices)
	if own != nil {
		left.GiveBack(own.Spans, own.Devices)
	}
	has := left.Has(span, devices)
	if own != nil {
		left.Take(own.Spans, own.Devices)
	}
	if has {
		left.Take(span, devices)
	}
	return has
}

// planNow lets a promised job run from now on to its end if no other plan needs the devices, and reports whether it does.
func (l *Line) planNow(j *Job) bool {
	if j == nil {
		return false
	}
	left := &l.planner.Kinds[j.Kind].Left
	left.GiveBack(j.Spans, j.Devices)
	now := []leases.Span{{From: 0, To: max(int(math.Ceil(min(l.planner.elapsed+j.demand.Need, mostLeases))), 1)}}
	has := left.Has(now, j.Devices)
	if has {
		j.Spans = now
	}
	left.Take(j.Spans, j.Devices)
	return has
}

// held is the leases in which a job cannot be made to give back what it gets now.
func (p *Planner) held(e *engine.Entry, devices int) []leases.Span {
	held := p.Rules.LeastRun(e.Job)
	switch {
	case e.HoldsGPUs():
		return []leases.Span{{From: 0, To: 1}}
	case e.UnstoppableReason != "":
		if held = p.runTime(e, devices); held <= 0 {
			return []leases.Span{{From: 0, To: mostLeases}}
		}
	}
	return []leases.Span{{From: 0, To: max(int(math.Ceil(min(p.inLeases(held), mostLeases))), 1)}}
}

// Keeps reports whether devices that are free now are kept from a waiting job, as plans need them before it
// could give them back.
func (l *Line) Keeps(e *engine.Entry) bool {
	kind := l.planner.KindOf(e)
	if e.HoldsGPUs() || l.standing[e.Index] != without || kind < 0 {
		return false
	}
	left, devices := l.planned[kind], l.devicesOf(e)
	return left.At(0) >= devices && !left.Has(l.planner.held(e, devices), devices)
}

// Tier is the tier of a job for who gives way to whom: those whose plans have them in the present lease take the place of all
// others, and those that were given devices that of those without.
func (l *Line) Tier(e *engine.Entry) int {
	return int(l.standing[e.Index])
}

// Assign turns the line into assignments: behind those with devices come the others, and last those that do not compete, by arrival.
func (l *Line) Assign(stopReason string) []engine.Assignment {
	out := slices.DeleteFunc(slices.Clone(l.planner.Round.Entries), func(e *engine.Entry) bool { return l.standing[e.Index] != absent })
	slices.SortFunc(out, engine.CompareArrival)
	for _, e := range append(l.rest, out...) {
		l.standing[e.Index], l.entries, l.sizes = without, append(l.entries, e), append(l.sizes, 0)
	}
	all := sizing.AssignSizes(l.planner.Round, l.entries, l.sizes, stopReason)
	for i := range all {
		if j := l.promised[all[i].Entry.ID]; j != nil && j.Ask.GPUs.Type == "" && all[i].Grant.HasLease {
			all[i].Grant.GPUType = l.planner.Kinds[j.Kind].GPUType // on which it was planned
		}
	}
	return all
}

// Decision is one decision of a policy that promises deadlines by plans. A policy embeds it in the stage that admits and allocates.
type Decision struct {
	Planner *Planner
	Line    *Line // jobs that their plans have in the present lease, once begun
	before  Promises
}

var errKept = errors.New("the GPUs that are free are needed before it could give them back by jobs that were promised their deadlines")

// Recall remembers what was promised before. An error says why that cannot be used.
func (d *Decision) Recall(s *policy.Snapshot) (err error) {
	d.before, err = recallPromises(s)
	return err
}

// Begin makes the plans of a round, explains them, and begins the line with the jobs that they have in the present lease.
func (d *Decision) Begin(r *engine.Round, settings Settings) {
	d.Planner = New(r, settings, d.before)
	d.Line = d.Planner.NewLine()
	d.Planner.Explain()
	d.Line.AddPlanned()
}

// Admit implements engine.Admitter: no job takes GPUs that plans need before it could give them back.
func (d *Decision) Admit(_ *engine.Round, e *engine.Entry) error {
	if d.Line != nil && d.Line.Keeps(e) {
		return errKept
	}
	return nil
}

// Tier is in which tier a job is stopped for others (preempt.ByTier).
func (d *Decision) Tier(_ *engine.Round, e *engine.Entry) int { return d.Line.Tier(e) }

// Remember adds what is promised now to a plan; an error of making it is passed on.
func (d *Decision) Remember(plan *policy.Plan, err error) (*policy.Plan, error) {
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(d.Planner.Promises())
	return plan, nil
}
