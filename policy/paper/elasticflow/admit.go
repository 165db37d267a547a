package elasticflow

import (
	"cmp"
	"maps"
	"slices"

	"fairbridge/policy/engine"
)

// maxTries bounds how many jobs are tried in one decision; those that would miss their deadline even
// alone are not counted.
const maxTries = 64

// planner plans the jobs that were admitted, and admits others.
type planner struct {
	seq      uint64    // of the decision
	kinds    []profile // what is free of each kind of device before any job of ours
	slot     float64
	admitted []*demand          // by deadline
	plans    map[*demand][]step // of those admitted
	declined map[*demand]bool   // jobs with a deadline that would be missed
	lost     map[*demand]bool   // those of them that had been admitted
}

// byDeadline compares demands by deadline, then arrival.
func byDeadline(a, b *demand) int {
	return engine.ThenArrival(cmp.Compare(a.deadline, b.deadline), a.entry, b.entry)
}

// planAll gives each job, the earliest deadline first, its minimum share of what is left, and takes
// it; the first that misses is returned, nil where none does.
func (p *planner) planAll(left []profile, jobs []*demand) (plans map[*demand][]step, misses *demand) {
	plans = make(map[*demand][]step, len(jobs))
	for _, d := range jobs {
		steps, ok := d.minimumShare(left[d.kind], p.slot)
		if !ok {
			return nil, d
		}
		left[d.kind].take(steps)
		plans[d] = steps
	}
	return plans, nil
}

func (p *planner) clone() []profile {
	left := make([]profile, len(p.kinds))
	for k := range left {
		left[k] = slices.Clone(p.kinds[k])
	}
	return left
}

// keep plans the jobs that were admitted before anew; where one would then miss, all go on by their
// old plans, which held when they were made. What cannot be kept either way, as where
// devices were lost, is let go, the latest deadline first.
func (p *planner) keep(jobs []*demand, old map[*demand][]step) {
	slices.SortFunc(jobs, byDeadline)
	for len(jobs) > 0 {
		plans, misses := p.planAll(p.clone(), jobs)
		if misses == nil {
			p.admitted, p.plans = jobs, plans
			return
		}
		if plans = p.planAsBefore(jobs, old); plans != nil {
			p.admitted, p.plans = jobs, plans
			return
		}
		p.declined[misses], p.lost[misses] = true, true
		jobs = slices.DeleteFunc(slices.Clone(jobs), func(d *demand) bool { return d == misses })
	}
}

// planAsBefore returns the old plans of the jobs, or nil where they do not hold.
func (p *planner) planAsBefore(jobs []*demand, old map[*demand][]step) map[*demand][]step {
	left := p.clone()
	for _, d := range jobs {
		steps := old[d]
		if !d.endsBy(steps) || !left[d.kind].holds(steps) {
			return nil
		}
		left[d.kind].take(steps)
	}
	plans := make(map[*demand][]step, len(jobs))
	for _, d := range jobs {
		plans[d] = old[d]
	}
	return plans
}

// endsBy reports whether the job ends by its deadline on a plan.
func (d *demand) endsBy(steps []step) bool {
	done, from := 0., 0.
	for _, s := range steps {
		k := d.levelWithin(s.gpus, len(d.levels)-1)
		if k >= 0 {
			done += d.speeds[k] * max(min(s.until, d.deadline)-from, 0)
		}
		from = s.until
	}
	return done >= d.need*(1-tolerance)
}

// admit lets jobs in, in order of arrival where they are few, for whom all that were let in before can still meet
// their deadlines.
func (p *planner) admit(jobs []*demand) {
	slices.SortFunc(jobs, func(a, b *demand) int { return engine.CompareArrival(a.entry, b.entry) })
	if n := uint64(len(jobs)); n > maxTries { // others than the last time
		first := p.seq * maxTries % n
		jobs = slices.Concat(jobs[first:], jobs[:first])
	}
	tries := 0
	for _, d := range jobs {
		if _, alone := d.minimumShare(p.kinds[d.kind], p.slot); !alone || tries >= maxTries {
			p.declined[d] = true
			continue
		}
		if tries++; !p.tryAdmit(d) {
			p.declined[d] = true
		}
	}
}

// tryAdmit admits a job if it can: with the plans of those with later deadlines made anew, else beside
// those there are. Jobs with earlier deadlines keep theirs.
func (p *planner) tryAdmit(d *demand) bool {
	at, _ := slices.BinarySearchFunc(p.admitted, d, byDeadline)
	plans, misses := p.planAll(p.leftBy(p.admitted[:at]), slices.Insert(slices.Clone(p.admitted[at:]), 0, d))
	switch misses {
	case nil:
		maps.Copy(p.plans, plans)
	case d:
		return false // not even if there were none after it
	default:
		steps, ok := d.minimumShare(p.leftBy(p.admitted)[d.kind], p.slot)
		if !ok {
			return false
		}
		p.plans[d] = steps
	}
	p.admitted = slices.Insert(slices.Clone(p.admitted), at, d)
	return true
}

// leftBy is what the plans of jobs that were admitted leave free.
func (p *planner) leftBy(jobs []*demand) []profile {
	left := p.clone()
	for _, d := range jobs {
		left[d.kind].take(p.plans[d])
	}
	return left
}
