package karuna

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/admission"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// stage is one decision.
type stage struct {
	*Policy
	admission.Decision
}

// Allocate implements engine.Allocator: first the jobs that must run now to meet their deadlines, then those without, the least
// left first, then those that need not run yet.
func (s *stage) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.Begin(r, s.settings())
	s.Line.AddSpare(s.bestEffort(r))
	s.Line.AddSpare(s.Planner.PromisedEntries())
	return s.Line.Assign("jobs that must run now to meet their deadlines, or have less left, take its GPUs"), nil
}

// candidate is a job with what it is thought to have left.
type candidate struct {
	*engine.Entry
	left time.Duration
}

// bestEffort lists the jobs without a promise, the least left first.
func (s *stage) bestEffort(r *engine.Round) []*engine.Entry {
	promised := make([]bool, len(r.Entries))
	for _, j := range s.Planner.Promised {
		promised[j.Index] = true
	}
	bounds := s.queueBounds(r.History)
	var all []candidate
	for _, e := range r.Entries {
		if !promised[e.Index] {
			all = append(all, candidate{e, expectedLeft(e, bounds)})
			if e.Note == "" && !r.OmitReasons {
				e.Note = fmt.Sprintf("best effort: %s left", policy.FormatDuration(all[len(all)-1].left))
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return engine.ThenArrival(cmp.Compare(a.left, b.left), a.Entry, b.Entry)
	})
	line := make([]*engine.Entry, len(all))
	for i := range all {
		line[i] = all[i].Entry
	}
	return line
}

// queueBounds are the run times at which a job of unknown length moves back.
func (p *Policy) queueBounds(history []policy.FinishedJob) []time.Duration {
	var bounds []time.Duration
	for _, seconds := range p.Queues {
		bounds = append(bounds, policy.DurationFromSeconds(seconds))
	}
	if len(bounds) == 0 {
		bounds = predict.RunTimeQuantiles(history, .25, .5, .75)
	}
	if len(bounds) == 0 {
		bounds = []time.Duration{15 * time.Minute, time.Hour, 4 * time.Hour, 16 * time.Hour}
	}
	return bounds
}

// expectedLeft is what a job has left: as it is predicted, else until the end of the queue that its run time puts it in, and in the last
// as long again.
func expectedLeft(e *engine.Entry, bounds []time.Duration) time.Duration {
	if e.Estimate().Source != "" && e.Estimate().Source != predict.FromAttained {
		return e.Estimate().TimeLeft
	}
	ran := e.TotalRunTime()
	for _, b := range bounds {
		if ran < b {
			return b - ran
		}
	}
	return ran
}
