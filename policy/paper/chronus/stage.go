package chronus

import (
	"cmp"
	"errors"
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
	before  admission.Promises
	planner *admission.Planner
	line    *admission.Line
}

var errKept = errors.New("the GPUs that are free are needed before it could give them back by jobs that were promised their deadlines")

// Admit implements engine.Admitter: no job takes GPUs that plans need before it could give them back.
func (s *stage) Admit(_ *engine.Round, e *engine.Entry) error {
	if s.line != nil && s.line.Keeps(e) {
		return errKept
	}
	return nil
}

// Allocate implements engine.Allocator: first the jobs that hold the present lease by their plans, then best effort and those that may run
// ahead of their plans. Within a lease those that run go first.
func (s *stage) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.planner = admission.New(r, s.settings(), s.before)
	s.line = s.planner.NewLine()
	s.planner.Explain()
	s.line.AddPlanned()
	lines := [][]*engine.Entry{s.bestEffort(r), s.planner.PromisedEntries()}
	if s.runsEarlyFirst() {
		slices.Reverse(lines)
	}
	if !s.planner.IsNew {
		for _, line := range lines {
			s.line.AddSpare(slices.DeleteFunc(slices.Clone(line), func(e *engine.Entry) bool { return !e.HoldsGPUs() }))
		}
	}
	for _, line := range lines {
		s.line.AddSpare(line)
	}
	return s.line.Assign("jobs that were promised their deadlines, or have less left, take its GPUs"), nil
}

// runsEarlyFirst reports whether jobs with a promise run ahead of their plans before best effort runs.
func (s *stage) runsEarlyFirst() bool {
	return s.Early == "most" || s.Early == "adaptive" && s.planner.PromisedPart() > .5
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
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.left, b.left), engine.CompareArrival(a.Entry, b.Entry))
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
	for _, j := range s.planner.Promised {
		class[j.Index] = -1
	}
	for _, j := range s.planner.Declined {
		switch {
		case j.IsLate:
			class[j.Index] = 3
		case j.IsLost:
			class[j.Index] = 1
		}
	}
	return class
}
