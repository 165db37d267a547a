package chronus

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/admission"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
)

// stage is one decision.
type stage struct {
	*Policy
	admission.Decision
}

// Allocate implements engine.Allocator: first the jobs that hold the present lease by their plans, then best effort and those that may run
// ahead of their plans. Within a lease those that run go first.
func (s *stage) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.Begin(r, s.settings())
	lines := [][]*engine.Entry{s.bestEffort(r), s.Planner.PromisedEntries()}
	if s.runsEarlyFirst() {
		slices.Reverse(lines)
	}
	if !s.Planner.IsNew {
		for _, line := range lines {
			s.Line.AddSpare(slices.DeleteFunc(slices.Clone(line), func(e *engine.Entry) bool { return !e.HoldsGPUs() }))
		}
	}
	for _, line := range lines {
		s.Line.AddSpare(line)
	}
	return s.Line.Assign("jobs that were promised their deadlines, or have less left, take its GPUs"), nil
}

// runsEarlyFirst reports whether jobs with a promise run ahead of their plans before best effort runs.
func (s *stage) runsEarlyFirst() bool {
	return s.Early == "most" || s.Early == "adaptive" && s.Planner.PromisedPart() > .5
}

// standing is a job of best effort with what it goes by.
type standing struct {
	*engine.Entry
	class int     // 1: it lost its promise; 2: others; 3: its deadline cannot be met any more
	left  float64 // GPU-seconds
}

// bestEffort lists the jobs without a promise: those that lost it, then the others, the least GPU time left first; last those whose deadlines cannot be met any more.
func (s *stage) bestEffort(r *engine.Round) []*engine.Entry {
	class := s.classes(r)
	byLength := order.ByLength{UseGPUTime: true}
	var all []standing
	for _, e := range r.Entries {
		if class[e.Index] < 0 {
			continue
		}
		x := standing{e, class[e.Index], byLength.LengthLeft(e)}
		if e.Note == "" && !r.OmitReasons {
			e.Note = fmt.Sprintf("best effort: %v left", policy.GPUSeconds(x.left))
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b standing) int {
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.left, b.left)), a.Entry, b.Entry)
	})
	line := make([]*engine.Entry, len(all))
	for i := range all {
		line[i] = all[i].Entry
	}
	return line
}

// classes are those of standing, by Entry.Index; -1: promised.
func (s *stage) classes(r *engine.Round) []int {
	class := slices.Repeat([]int{2}, len(r.Entries))
	for _, j := range s.Planner.Promised {
		class[j.Index] = -1
	}
	for _, j := range s.Planner.Declined {
		switch {
		case j.IsLate:
			class[j.Index] = 3
		case j.IsLost:
			class[j.Index] = 1
		}
	}
	return class
}
