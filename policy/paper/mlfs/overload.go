package mlfs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pack"
)

// Allocate implements engine.Allocator: the line by priority, and who leaves GPUs that are overloaded.
func (v *priorities) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := v.Order(r)
	if err != nil {
		return nil, err
	}
	leaving := v.relieveGPUs(r, line)
	assigned := make([]engine.Assignment, len(line))
	for i, e := range line {
		assigned[i] = e.AssignmentWithoutLease()
		assigned[i].Grant.StopReason = leaving[e]
	}
	return assigned, nil
}

// relieveGPUs says who leaves GPUs that jobs share and keep busier together than is meant, and why.
func (v *priorities) relieveGPUs(r *engine.Round, line []*engine.Entry) map[*engine.Entry]string {
	leaving, seen := map[*engine.Entry]string{}, map[*engine.Entry]bool{}
	for _, e := range pack.Singles(r) {
		seen[e] = true
	}
	for _, e := range line {
		if !e.HoldsGPUs() || seen[e] || !knowsOwn(e) {
			continue
		}
		group := pack.Group(r, e)
		for _, o := range group {
			seen[o] = true
		}
		if slices.ContainsFunc(group, func(o *engine.Entry) bool { return !knowsOwn(o) }) {
			continue
		}
		if busy, _ := busyTogether(group...); len(group) > 1 && busy > v.Overload {
			if victim := v.victimOf(group); victim != nil {
				leaving[victim] = fmt.Sprintf("with %d others it keeps its GPUs busy for %.0f %% of the time, more than the %.0f %% that are meant", len(group)-1, 100*busy, 100*v.Overload)
			}
		}
	}
	return leaving
}

// knowsOwn reports whether the job may share GPUs, and how busy it keeps them alone is known: what is measured
// beside others may be theirs.
func knowsOwn(e *engine.Entry) bool {
	return e.Shareable && e.Sharing != nil && e.Sharing.Utilisation.Known
}

// busyTogether is the part of the time for which jobs keep a GPU busy, each as it does alone; known is false
// where that of one is not.
func busyTogether(jobs ...*engine.Entry) (busy float64, known bool) {
	for _, e := range jobs {
		u := interference.Utilisation(e.Job)
		if !u.Known {
			return 0, false
		}
		busy += u.Value
	}
	return busy, true
}

// victimOf is, of the lowest of a group by priority that may be stopped, the one nearest to an ideal victim,
// which keeps the GPU busiest and has the fewest cores; nil: none may be.
func (v *priorities) victimOf(group []*engine.Entry) *engine.Entry {
	all := slices.Clone(group)
	slices.SortStableFunc(all, func(a, b *engine.Entry) int { return cmp.Compare(v.all[a.Index].sum, v.all[b.Index].sum) })
	all = slices.DeleteFunc(all[:max(int(math.Ceil(v.Candidates*float64(len(all)))), 1)], func(e *engine.Entry) bool { return e.IsUnstoppable })
	busiest, fewest, most := 0., math.Inf(1), 1.
	for _, e := range all {
		cpus := float64(e.Ask.CPUs)
		busiest, fewest, most = max(busiest, interference.Utilisation(e.Job).Value), min(fewest, cpus), max(most, cpus)
	}
	var best *engine.Entry
	least := math.Inf(1)
	for _, e := range all {
		if d := math.Hypot(busiest-interference.Utilisation(e.Job).Value, (float64(e.Ask.CPUs)-fewest)/most); d < least {
			best, least = e, d
		}
	}
	return best
}

// leastBusy puts a job beside the running one that keeps its GPUs least busy, if both together do not
// overload them.
type leastBusy struct {
	*Policy
	hosts  []*engine.Entry // running ones that no job joined yet
	listed bool
}

var errAllBusy = errors.New("no running job accepts it whose GPUs it would not overload")

// Pack implements engine.Packer.
func (p *leastBusy) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if !p.listed {
		p.hosts, p.listed = pack.Singles(r), true
	}
	best, least := -1, math.Inf(1)
	for i, h := range p.hosts {
		if busy, known := busyTogether(h, e); known && busy <= p.Overload && busy < least && h.PlannedAlloc.Equal(h.On) && pack.JoinsSingle(r, h, e) {
			best, least = i, busy
		}
	}
	if best < 0 {
		return engine.SharedPlace{}, errAllBusy
	}
	h := p.hosts[best]
	p.hosts = slices.Delete(p.hosts, best, best+1)
	return engine.SharedPlace{On: slices.Clone(h.PlannedAlloc), Beside: h.ID}, nil
}
