package elasticflow

import (
	"cmp"
	"maps"
	"math"
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

// sized is a job with the place of its size among its levels; -1: it gets none yet.
type sized struct {
	*demand
	level  int
	plan   []step // what is booked for it in any case; nil: nothing
	booked int    // devices that are booked for it as long as it must run, if its plan has fewer
}

// divideLeftover gives the devices that the plans leave to the jobs, kind by kind. A job may have
// devices that no plan needs as long as it must run once it has them. First
// every job without any gets its least size, in the order of the list; then the one whose step to
// its next level costs least GPU time for each device more takes it, again and again. dearest
// turns the last choice around, as the published program does.
func divideLeftover(jobs []sized, left []profile, dearest bool) {
	for i := range jobs {
		j := &jobs[i]
		if j.level < 0 && !j.isFixed && len(j.levels) > 0 && j.fits(left[j.kind], j.levels[0]) {
			j.book(&left[j.kind], j.levels[0])
			j.level = 0
		}
	}
	for {
		best, cost := -1, 0.
		for i := range jobs {
			more, c := jobs[i].nextStep()
			if more == 0 || !jobs[i].fits(left[jobs[i].kind], jobs[i].levels[jobs[i].level+1]) {
				continue
			}
			if dearest {
				c = -c
			}
			if best < 0 || c < cost {
				best, cost = i, c
			}
		}
		if best < 0 {
			return
		}
		j := &jobs[best]
		j.level++
		j.book(&left[j.kind], j.levels[j.level])
	}
}

// fits reports whether a larger size finds devices as long as the job must run, beside those
// that are booked for it.
func (s *sized) fits(left profile, devices int) bool {
	for i := 0; i < len(left) && (i == 0 || left[i].from < s.minRun); i++ {
		if left[i].free < devices-s.bookedAt(left[i].from) {
			return false
		}
	}
	return true
}

// bookedAt is what is booked for the job at a time.
func (s *sized) bookedAt(t float64) int {
	n := 0
	if t < s.minRun || t == 0 {
		n = s.booked
	}
	for _, p := range s.plan {
		if t < p.until {
			return max(n, p.gpus)
		}
	}
	return n
}

// book books a size that fits for as long as the job must run.
func (s *sized) book(left *profile, devices int) {
	left.splitAt(s.minRun)
	for i := 0; i < len(*left) && (i == 0 || (*left)[i].from < s.minRun); i++ {
		(*left)[i].free -= max(devices-s.bookedAt((*left)[i].from), 0)
	}
	s.booked = devices
}

// nextStep is how many devices more the next level takes, and the GPU time it costs the rest of
// the job for each of them; 0: there is none.
func (s *sized) nextStep() (more int, cost float64) {
	if s.isFixed || s.level < 0 || s.level+1 >= len(s.levels) {
		return 0, 0
	}
	more = s.levels[s.level+1] - s.levels[s.level]
	return more, (s.gpuTime(s.level+1) - s.gpuTime(s.level)) / float64(more)
}

// profile is how many devices of a type are free from now on: piece after piece, the last
// without end.
type profile []piece

// piece begins so many seconds from now and lasts until the next one.
type piece struct {
	from float64
	free int
}

// step is a stretch of a plan: so many devices until so many seconds from now.
type step struct {
	until float64
	gpus  int
}

func newProfile(free int) profile { return profile{{0, free}} }

// endOf is when a piece ends.
func (p profile) endOf(i int) float64 {
	if i+1 < len(p) {
		return p[i+1].from
	}
	return math.Inf(1)
}

// splitAt lets a piece begin at a time, and returns its place.
func (p *profile) splitAt(t float64) int {
	i, found := slices.BinarySearchFunc(*p, t, func(a piece, t float64) int {
		switch {
		case a.from < t:
			return -1
		case a.from > t:
			return 1
		}
		return 0
	})
	if !found {
		*p = slices.Insert(*p, i, piece{t, (*p)[i-1].free})
	}
	return i
}

// add makes n devices more free from one time until another, or fewer.
func (p *profile) add(from, until float64, n int) {
	if until <= from || n == 0 {
		return
	}
	first := p.splitAt(from)
	last := len(*p)
	if !math.IsInf(until, 1) {
		last = p.splitAt(until)
	}
	for i := first; i < last; i++ {
		(*p)[i].free += n
	}
}

// take takes what a plan needs.
func (p *profile) take(steps []step) {
	from := 0.0
	for _, s := range steps {
		p.add(from, s.until, -s.gpus)
		from = s.until
	}
}

// holds reports whether a plan finds its devices free.
func (p profile) holds(steps []step) bool {
	for i := range p {
		from := 0.0
		for _, s := range steps {
			if s.gpus > p[i].free && from < p.endOf(i) && p[i].from < s.until {
				return false
			}
			from = s.until
		}
	}
	return true
}
