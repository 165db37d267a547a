package pcs

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/queues"
)

// arrivals are what is remembered: the class each job got when it came, and the services of
// those that came.
type arrivals struct {
	Seen []float64  `json:"seen,omitempty"`
	Jobs []jobClass `json:"jobs,omitempty"` // by id
}

type jobClass struct {
	ID    policy.JobID `json:"id"`
	Class int          `json:"class"`
}

func compareIDs(a, b jobClass) int { return cmp.Compare(a.ID, b.ID) }

func recallArrivals(s *policy.Snapshot) (arrivals, error) {
	last, err := policy.Recall[arrivals](s.Memo)
	if err != nil {
		return arrivals{}, err
	}
	bad := slices.ContainsFunc(last.Seen, func(v float64) bool { return !(v > 0) }) || !slices.IsSortedFunc(last.Jobs, compareIDs) ||
		slices.ContainsFunc(last.Jobs, func(j jobClass) bool { return j.Class < 0 })
	if bad {
		return arrivals{}, errors.New("reading what was remembered: the classes of jobs are garbled")
	}
	return last, nil
}

// allocator is an engine.Allocator.
type allocator struct {
	sizing.RestartRule
	classes  *Classes
	settings queues.Settings
	last     arrivals
	next     arrivals // what is to be remembered
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	pools := sizing.ListContests(r)
	for _, p := range pools {
		claims := a.fixedClaims(r, p.GPUType)
		fixed, total := len(claims), float64(p.Count)
		for _, c := range claims {
			total += c.Most
		}
		for _, j := range p.Jobs {
			claims = append(claims, queues.Claim{Class: a.classOf(j.Entry), Most: float64(j.Most()), EfficientMost: j.EfficientMost})
		}
		shares := queues.Divide(total, claims, a.settings)[fixed:]
		for i, n := range queues.Whole(p.Count, shares, func(i, n int) int { return p.Jobs[i].Next(n) }) {
			j := p.Jobs[i]
			if j.Size = n; !r.OmitReasons {
				queue := strconv.Itoa(claims[fixed+i].Class+1) + " of " + strconv.Itoa(len(a.settings.Rates))
				j.Note = "is in queue " + queue + ", and due " + strconv.FormatFloat(shares[i], 'f', 2, 64) + " GPUs there"
			}
		}
		a.KeepSizes(p)
	}
	a.remember(r)
	return sizing.AssignContests(r, pools), nil
}

// fixedClaims are those of the jobs that hold devices of a type and may not be stopped now.
// They count to the parts of their queues, before all others: else a queue would get its part of
// what is left beside what its jobs hold, and another one each time one of them starts.
func (a *allocator) fixedClaims(r *engine.Round, gpuType string) []queues.Claim {
	var claims []queues.Claim
	for _, e := range r.RunningEntries() {
		if e.IsUnstoppable && e.On.FirstType() == gpuType {
			claims = append(claims, queues.Claim{Class: a.classOf(e), Most: float64(e.On.Count())})
		}
	}
	return claims
}

// classOf is the class the job got when it came, or that of the service it received already
// where that is a later one.
func (a *allocator) classOf(e *engine.Entry) int {
	attained := float64(e.Attained)
	i, known := slices.BinarySearchFunc(a.last.Jobs, jobClass{ID: e.ID}, compareIDs)
	class := 0
	switch {
	case known:
		class = max(a.last.Jobs[i].Class, a.classes.Of(attained))
	case e.Estimate().TimeLeft > 0:
		class = a.classes.OfArrival(attained + e.Estimate().TimeLeft.Seconds()*e.Ask.GPUs.WholeGPUs())
	}
	class = min(class, len(a.settings.Rates)-1)
	if known || e.Estimate().TimeLeft > 0 {
		a.next.Jobs = append(a.next.Jobs, jobClass{e.ID, class})
	}
	return class
}

// remember keeps the classes of all jobs that are still there, those that did not compete in
// this round among them.
func (a *allocator) remember(r *engine.Round) {
	asked := make(map[policy.JobID]bool, len(a.next.Jobs))
	for _, j := range a.next.Jobs {
		asked[j.ID] = true
	}
	for _, e := range r.Entries {
		if i, known := slices.BinarySearchFunc(a.last.Jobs, jobClass{ID: e.ID}, compareIDs); known && !asked[e.ID] {
			a.next.Jobs = append(a.next.Jobs, a.last.Jobs[i])
		}
	}
	slices.SortFunc(a.next.Jobs, compareIDs)
	a.next.Seen = a.classes.Seen
}
