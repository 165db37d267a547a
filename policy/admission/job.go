package admission

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/solve/leases"
)

// Job is a job with a deadline of which it is known how long it runs.
type Job struct {
	*engine.Entry
	Kind    int           // its place in Planner.Kinds
	Devices int           // it is planned on
	Spans   []leases.Span // in which it runs at the latest; nil where it needs no more than it has anyway
	IsLost  bool          // it was promised its deadline before, and is not any more
	IsLate  bool          // its deadline cannot be met, even with all devices

	sizes   []int // it may be planned on, the smallest first
	demand  leases.Demand
	restart float64 // what a restart costs it, in leases
	isKnown bool    // it was promised its deadline before
}

// RunsNow reports whether its plan has it in the present lease.
func (j *Job) RunsNow() bool { return len(j.Spans) > 0 && j.Spans[0].From <= 0 }

// compareDeadlines compares by deadline, then arrival.
func compareDeadlines(a, b *Job) int {
	return engine.ThenArrival(a.Deadline.Compare(b.Deadline), a.Entry, b.Entry)
}

func compareArrival(a, b *Job) int { return engine.CompareArrival(a.Entry, b.Entry) }

// listJobs lists the jobs that plans are made for: those that were promised their deadlines with what is left of
// their plans, and the others, both by arrival.
func (p *Planner) listJobs(before Promises) (known, others []*Job) {
	for _, e := range p.Round.Entries {
		kind := -1
		if !e.Deadline.IsZero() && e.Estimate().TimeLeft > 0 && (grant.CompetesForLease(p.Round, e) || isFixed(p.Rules, e)) {
			kind = p.KindOf(e)
		}
		if kind < 0 {
			continue
		}
		j := &Job{Entry: e, Kind: kind, sizes: p.sizesOf(e)}
		if c := before.find(e.ID); c != nil {
			j.Spans, j.Devices = c.spansAt(p.number-before.Lease), c.Devices
			if !slices.Contains(j.sizes, j.Devices) {
				j.Devices = j.sizes[0]
			}
			j.isKnown = true
			j.clip(p.fixedLeases(e))
			p.setDemand(j, j.Devices, len(j.Spans), p.Delay)
			known = append(known, j)
		} else {
			others = append(others, j)
		}
	}
	return known, others
}

// isFixed reports whether the job runs and keeps its devices for now, though it may be stopped later.
func isFixed(rules engine.Rules, e *engine.Entry) bool {
	return e.HoldsGPUs() && e.IsUnstoppable && rules.IsEverStoppable(e.Job)
}

// fixedLeases is how many leases a running job keeps its devices for whatever is planned.
func (p *Planner) fixedLeases(e *engine.Entry) int {
	if !isFixed(p.Rules, e) {
		return 0
	}
	return p.freeFrom(e)
}

// clip leaves out what of the plan is before a lease.
func (j *Job) clip(first int) {
	for len(j.Spans) > 0 && j.Spans[0].From < first {
		if j.Spans[0].From = first; j.Spans[0].To <= first {
			j.Spans = j.Spans[1:]
		}
	}
}

// sizesOf are the sizes to try, the smallest first.
func (p *Planner) sizesOf(e *engine.Entry) []int {
	if p.Levels == nil || isFixed(p.Rules, e) {
		return []int{e.DeviceCount()}
	}
	return p.Levels(e)
}

// setDemand works out what the job needs on so many devices if it runs in so many pieces: each begins with a start, which may come
// later than it is due by a delay, and for one that ran before with a restart. What it does before it may be stopped is not planned.
func (p *Planner) setDemand(j *Job, devices, pieces int, delay time.Duration) {
	starts := max(pieces, 1)
	if j.HoldsGPUs() && (j.RunsNow() || isFixed(p.Rules, j.Entry)) && devices == j.On.Count() {
		starts--
	}
	restarts := starts
	if j.FirstStart.IsZero() {
		restarts = max(starts-1, 0)
	}
	seconds := p.runTime(j.Entry, devices).Seconds()
	seconds += float64(starts)*delay.Seconds() + float64(restarts)*j.CheckpointCost.Seconds()
	j.restart = j.CheckpointCost.Seconds() / p.Lease.Seconds()
	if seconds <= 0 {
		seconds = math.Inf(1)
	}
	j.demand = leases.Demand{
		Width: devices, Need: min(seconds/p.Lease.Seconds(), mostLeases), Earliest: p.elapsed,
		Deadline: min(p.inLeases(j.Deadline.Sub(p.Round.Now)), mostLeases), InOnePiece: j.UnstoppableReason != "",
	}
	if n := p.fixedLeases(j.Entry); n > 0 {
		from := float64(n)
		j.demand.Need, j.demand.Earliest = max(j.demand.Need-(from-p.elapsed), 0), from
	}
}

// fit finds the latest leases for the job on the smallest size that meets its deadline, and reports whether there are any.
func (p *Planner) fit(j *Job, left leases.Free) bool {
	for _, devices := range j.sizes {
		j.Spans = nil
		for pieces := 1; ; {
			p.setDemand(j, devices, pieces, p.Delay)
			spans, ok := left.FitLate(p.withReserve(j))
			if !ok {
				break
			}
			if len(spans) <= pieces {
				j.Spans, j.Devices = spans, devices
				return true
			}
			pieces = len(spans)
		}
	}
	return false
}

// withReserve is the demand of a job that is not promised anything yet with what it must leave to smaller ones.
func (p *Planner) withReserve(j *Job) *leases.Demand {
	d := j.demand
	if count := float64(p.Kinds[j.Kind].Count); !j.isKnown && count > 0 {
		hours := float64(d.Width) * d.Need * p.Lease.Hours() / count
		d.Width += min(int(p.Reserve*min(hours, 1)*count), max(p.Kinds[j.Kind].Count-d.Width, 0))
	}
	return &d
}

// mayRunEarly reports whether the job can run ahead of its plan: its plan must hold although it may be stopped soon, and then has to
// restart once more.
func (j *Job) mayRunEarly() bool {
	d := j.demand
	d.Need += 2 * j.restart
	return j.HoldsGPUs() || d.IsMetBy(j.Spans)
}

// goesOn reports whether its plan goes on with the lease it runs in.
func (j *Job) goesOn() bool {
	return j.HoldsGPUs() && len(j.Spans) > 0 && j.Spans[0].From <= int(j.demand.Earliest)
}

// trim leaves out leases that the job does not need any more: the last if it goes on running, else the first.
func (j *Job) trim() {
	if !j.demand.IsMetBy(j.Spans) {
		return
	}
	for d := &j.demand; ; {
		rest := slices.Clone(j.Spans)
		switch last := len(rest) - 1; {
		case last < 0:
			return
		case j.goesOn():
			if rest[last].To--; rest[last].To <= rest[last].From {
				rest = rest[:last]
			}
		default:
			if rest[0].From++; rest[0].From >= rest[0].To {
				rest = rest[1:]
			}
		}
		if len(rest) == 0 && d.Need > 0 || !d.IsMetBy(rest) {
			return
		}
		j.Spans = rest
	}
}

// Promises are the plans of jobs that were promised their deadlines, by job id, as a policy remembers them.
type Promises struct {
	Lease  int64     `json:"lease,omitempty"`  // number of the lease they were made in, since 1970
	Length float64   `json:"length,omitempty"` // of a lease, in seconds
	Jobs   []Promise `json:"jobs,omitempty"`
}

// Promise is the plan of one job: devices in leases, counted from that it was made in.
type Promise struct {
	Job     policy.JobID `json:"job"`
	Devices int          `json:"gpus"`
	From    []int        `json:"from,omitempty"` // first leases of its stretches, ascending
	To      []int        `json:"to,omitempty"`   // those after their last ones
}

// recallPromises returns the promises that a policy remembers; none: it has made none. An error says why they cannot be used.
func recallPromises(s *policy.Snapshot) (Promises, error) {
	before, err := policy.Recall[Promises](s.Memo)
	if err == nil {
		err = before.Validate()
	}
	if err != nil {
		return Promises{}, fmt.Errorf("reading what was remembered: %w", err)
	}
	return before, nil
}

// Validate says what is wrong with promises that were read back.
func (a Promises) Validate() error {
	for i, j := range a.Jobs {
		if len(j.From) != len(j.To) || j.Devices <= 0 || i > 0 && a.Jobs[i-1].Job >= j.Job {
			return errors.New("the plans are garbled")
		}
		for k := range j.From {
			if j.To[k] <= j.From[k] || k > 0 && j.From[k] < j.To[k-1] {
				return errors.New("a plan is garbled")
			}
		}
	}
	return nil
}

// find returns the plan of a job, or nil.
func (a *Promises) find(id policy.JobID) *Promise {
	i, found := slices.BinarySearchFunc(a.Jobs, id, func(c Promise, id policy.JobID) int { return cmp.Compare(c.Job, id) })
	if !found {
		return nil
	}
	return &a.Jobs[i]
}

// spansAt returns the rest of the plan so many leases later.
func (c *Promise) spansAt(later int64) []leases.Span {
	var spans []leases.Span
	for i := range c.From {
		s := leases.Span{From: int(max(int64(c.From[i])-later, 0)), To: int(max(int64(c.To[i])-later, 0))}
		if s.To > s.From {
			spans = append(spans, s)
		}
	}
	return spans
}

// withFixed is the plan of a job with the leases it keeps its devices for anyway.
func (p *Planner) withFixed(j *Job) []leases.Span {
	n := p.fixedLeases(j.Entry)
	switch {
	case n == 0:
		return j.Spans
	case len(j.Spans) > 0 && j.Spans[0].From <= n:
		return append([]leases.Span{{From: 0, To: j.Spans[0].To}}, j.Spans[1:]...)
	}
	return append([]leases.Span{{From: 0, To: n}}, j.Spans...)
}

// Promises returns what is to be remembered.
func (p *Planner) Promises() Promises {
	all := Promises{Lease: p.number, Length: p.Lease.Seconds()}
	for _, j := range p.Promised {
		one := Promise{Job: j.ID, Devices: j.Devices}
		for _, s := range p.withFixed(j) {
			one.From, one.To = append(one.From, s.From), append(one.To, s.To)
		}
		all.Jobs = append(all.Jobs, one)
	}
	slices.SortFunc(all.Jobs, func(a, b Promise) int { return cmp.Compare(a.Job, b.Job) })
	return all
}
