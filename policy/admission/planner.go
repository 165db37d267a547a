package admission

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/leases"
)

// Settings say how a policy promises.
type Settings struct {
	Lease  time.Duration // length of a lease, in whole numbers of which plans are made
	Every  int           // after how many leases IsNew is set; 0: after each
	Margin float64       // part by which the time left of a job is stretched of which no standard error is known
	Sigmas float64       // standard errors that are added to the time left where they are known
	Delay  time.Duration // that may pass until a start that is due is decided and carried out
	// Reserve is the part of the devices that a promise to a large job must leave to smaller ones: all of it to a job that takes as much
	// device time as there is in an hour or more, and in proportion less to others.
	Reserve float64
	Rules   engine.Rules // by which running jobs may be stopped
	// Levels are the sizes to try for a job, the smallest first; nil: what it asks or holds alone.
	Levels func(*engine.Entry) []int
}

// tries bounds how often gangs are packed in one decision, all sets together.
const tries = 20_000

// Planner is one decision under way.
type Planner struct {
	Settings
	Round    *engine.Round
	Kinds    []Kind
	Promised []*Job // by deadline, then arrival
	Declined []*Job // with a deadline that is not promised, by arrival
	IsNew    bool   // Every leases are over since it was set in a decision before

	number  int64   // of the present lease since 1970
	elapsed float64 // part of the present lease
	budget  int
}

// Kind is the devices of one type.
type Kind struct {
	GPUType string
	IsSlice bool
	Count   int
	All     leases.Free // that may be planned with
	Left    leases.Free // of them, what plans and those who were given some leave
}

// New counts the devices and lists the jobs, and keeps the promises of before.
func New(r *engine.Round, s Settings, before Promises) *Planner {
	p := &Planner{Settings: s, Round: r, budget: tries}
	nanos := r.Now.UnixNano()
	p.number = nanos / int64(s.Lease)
	p.elapsed = float64(nanos-p.number*int64(s.Lease)) / float64(s.Lease)
	every := int64(max(s.Every, 1))
	p.IsNew = before.Lease/every != p.number/every || before.Length != s.Lease.Seconds()
	if before.Length != s.Lease.Seconds() {
		before.Jobs = nil
	}
	p.countKinds()
	known, others := p.listJobs(before)
	p.keep(known)
	p.admit(others)
	slices.SortFunc(p.Promised, compareDeadlines)
	return p
}

// inLeases is a time from now, as leases since the present one began.
func (p *Planner) inLeases(fromNow time.Duration) float64 {
	return p.elapsed + fromNow.Seconds()/p.Lease.Seconds()
}

// TimeOf is when a number of leases since the present one began will have passed.
func (p *Planner) TimeOf(at float64) time.Time {
	const most = 1e6 // leases, beyond which no time is told
	return p.Round.Now.Add(time.Duration((min(at, most) - p.elapsed) * float64(p.Lease)))
}

// countKinds counts what there is of each type: what is free or may be taken now, and what comes back from jobs that may not
// be stopped now, once they may or are thought to have ended.
func (p *Planner) countKinds() {
	for _, c := range p.Round.ListCapacities(nil) {
		p.Kinds = append(p.Kinds, Kind{GPUType: c.GPUType, IsSlice: c.IsSlice, Count: c.Healthy, All: leases.NewFree(c.Grantable())})
	}
	for _, e := range p.Round.RunningEntries() {
		from := p.freeFrom(e)
		for _, slot := range e.On {
			for k := range p.Kinds {
				if p.Kinds[k].GPUType == slot.Type && from > 0 {
					p.Kinds[k].All.AddFrom(from, slot.Count)
				}
			}
		}
	}
	for k := range p.Kinds {
		p.Kinds[k].All.Cap(max(p.Kinds[k].Count, p.Kinds[k].All.At(0)))
		p.Kinds[k].Left = slices.Clone(p.Kinds[k].All)
	}
}

// freeFrom is the lease from which others may have what a running job holds that may not be stopped now; 0: it may be
// stopped, or it is not known when it ends.
func (p *Planner) freeFrom(e *engine.Entry) int {
	var left time.Duration
	switch {
	case !e.IsUnstoppable:
		return 0
	case p.Rules.IsEverStoppable(e.Job):
		left = p.Rules.LeastRun(e.Job) - e.Ran(p.Round.Now)
	case e.Estimate().TimeLeft > 0:
		left = p.runTime(e, e.DeviceCount())
	default:
		return 0
	}
	return int(math.Ceil(min(p.inLeases(max(left, time.Second)), mostLeases)))
}

// mostLeases is how far plans reach.
const mostLeases = 1 << 20

// runTime is how long the rest of a job takes on so many devices, with what may be wrong about it; 0: not known.
func (p *Planner) runTime(e *engine.Entry, devices int) time.Duration {
	left, speed := e.Estimate().TimeLeft.Seconds(), sizing.Speed(e, devices)
	if sigma := e.Estimate().TimeLeftSigma.Seconds(); sigma > 0 {
		left += p.Sigmas * sigma
	} else {
		left *= 1 + p.Margin
	}
	if !(speed > 0) {
		return 0
	}
	return policy.DurationFromSeconds(left / speed)
}

// KindOf is the kind a job is planned on: of the type it holds or asks, else of the whole GPUs of which there are most; -1: none.
func (p *Planner) KindOf(e *engine.Entry) int {
	typ, best := sizing.TypeOf(e), -1
	for k, x := range p.Kinds {
		switch {
		case typ != "" && x.GPUType == typ:
			return k
		case typ == "" && !x.IsSlice && (best < 0 || x.Count > p.Kinds[best].Count):
			best = k
		}
	}
	return best
}

// FormatTime writes a time for owners.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
