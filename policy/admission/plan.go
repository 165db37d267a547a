package admission

import (
	"slices"

	"fairbridge/policy/solve/leases"
)

// keep keeps the plans of jobs that were promised their deadlines, as far as these need them and the devices are there. One that
// needs more, because it runs longer than was thought or devices were lost, is planned anew, at need with all others; where that
// fails, it loses its promise: of those that cannot be kept together the last to arrive.
func (p *Planner) keep(known []*Job) {
	slices.SortFunc(known, compareArrival)
	var short []*Job
	for _, j := range known {
		j.trim()
		left := &p.Kinds[j.Kind].Left
		if !j.demand.IsMetBy(j.Spans) { // a start that is late was allowed for
			p.setDemand(j, j.Devices, len(j.Spans), 0)
		}
		if !j.demand.IsMetBy(j.Spans) || !left.Has(j.Spans, j.Devices) {
			short = append(short, j)
			continue
		}
		left.Take(j.Spans, j.Devices)
		p.Promised = append(p.Promised, j)
	}
	if p.IsNew {
		p.planLater()
	}
	for _, j := range short {
		if !p.promise(j) {
			j.IsLost = true
			p.Declined = append(p.Declined, j)
		}
	}
}

// admit promises jobs their deadlines where they find room, in the order of their arrival.
func (p *Planner) admit(others []*Job) {
	slices.SortFunc(others, compareArrival)
	for _, j := range others {
		if !p.promise(j) {
			p.Declined = append(p.Declined, j)
		}
	}
	slices.SortFunc(p.Declined, compareArrival)
}

// promise plans a job in what others leave, or all of its kind anew, and reports whether its deadline is met.
func (p *Planner) promise(j *Job) bool {
	kind := &p.Kinds[j.Kind]
	if p.fit(j, kind.Left) || p.planAnew(j, kind) {
		kind.Left.Take(j.Spans, j.Devices)
		p.Promised = append(p.Promised, j)
		return true
	}
	j.Spans = nil
	return false
}

// planAnew plans all jobs of a kind anew with one more, on the smallest size by which that would meet its deadline alone.
func (p *Planner) planAnew(j *Job, kind *Kind) bool {
	if j.IsLate = !p.fit(j, kind.All); j.IsLate {
		return false
	}
	jobs := []*Job{j}
	for _, o := range p.Promised {
		if o.Kind == j.Kind {
			jobs = append(jobs, o)
		}
	}
	devices := j.Devices
	spans, ok := p.pack(jobs, devices, kind)
	if !ok {
		return false
	}
	kind.Left = slices.Clone(kind.All)
	for i, o := range jobs {
		o.Spans = spans[i]
		if i > 0 {
			kind.Left.Take(o.Spans, o.Devices)
		}
	}
	j.Devices = devices
	return true
}

// pack packs jobs, the first of them on so many devices.
func (p *Planner) pack(jobs []*Job, devices int, kind *Kind) (spans [][]leases.Span, ok bool) {
	if p.budget -= len(jobs); p.budget < 0 {
		return nil, false
	}
	demands := make([]leases.Demand, len(jobs))
	for i, o := range jobs {
		anew := *o // it may have to start again, though it runs
		if anew.Spans = nil; i > 0 {
			devices = o.Devices
		}
		p.setDemand(&anew, devices, 1, p.Delay)
		if demands[i] = anew.demand; i == 0 {
			demands[i] = *p.withReserve(&anew)
		}
	}
	if kind.All.IsImpossible(demands) {
		return nil, false
	}
	return kind.All.Pack(demands, &p.budget)
}

// planLater moves the plans of jobs that do not run to the latest leases that are free by now, the last deadline first.
func (p *Planner) planLater() {
	slices.SortFunc(p.Promised, func(a, b *Job) int { return compareDeadlines(b, a) })
	for _, j := range p.Promised {
		if j.HoldsGPUs() {
			continue
		}
		left, was := &p.Kinds[j.Kind].Left, *j
		left.GiveBack(j.Spans, j.Devices)
		if !p.fit(j, *left) {
			*j = was
		}
		left.Take(j.Spans, j.Devices)
	}
}
