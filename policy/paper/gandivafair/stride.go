package gandivafair

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
)

// stride is an engine.Allocator: it orders the jobs of one round by the passes of
// their accounts, and grants them the GPUs of each type.
type stride struct {
	*Policy
	lastPasses *passes // as remembered
	newPasses  *passes // by Allocate
	runnable   []bool  // jobs by types: it could run there
}

// Allocate implements engine.Allocator: by the smallest pass of the account on any
// type the job can run on, then by what the job received.
func (s *stride) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.newPasses = s.lastPasses.next(r, r.GPUTypes())
	s.findRunnable(r)
	s.newPasses.subtractLeast(s.waitingTypes(r))
	tickets := s.divideTickets(r)
	s.newPasses.renewTickets(tickets, s.largestStride(r, tickets))
	grants, pass := s.grants(r), make([]float64, len(r.Entries))
	turns := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		turns[i], pass[i] = e.AssignmentWithoutLease(), math.Inf(1)
		turns[i].Grant = grants[i]
		if k := s.bestType(i); k >= 0 {
			pass[i] = s.pass(i, k)
			if !r.OmitReasons && !math.IsInf(pass[i], 1) {
				turns[i].Note = fmt.Sprintf("its account has received %.2f GPU-hours a ticket on %s more than the last who waits", pass[i]/3600, s.newPasses.Types[k])
			}
		}
	}
	slices.SortFunc(turns, func(a, b engine.Assignment) int {
		return cmp.Or(cmp.Compare(pass[a.Entry.Index], pass[b.Entry.Index]), s.compareJobs(a.Entry, b.Entry))
	})
	return turns, nil
}

// findRunnable finds out which job could run where: a job that holds another number
// of GPUs than it asks, with as many as it asks.
func (s *stride) findRunnable(r *engine.Round) {
	w := len(s.newPasses.Types)
	s.runnable = make([]bool, len(r.Entries)*w)
	for i, e := range r.Entries {
		want := e.WantedDeviceCount
		e.WantedDeviceCount = e.Ask.GPUs.Count
		for k, t := range s.newPasses.Types {
			s.runnable[i*w+k] = r.MayRun(e) && rounds.MayRunOn(r, e, t)
		}
		e.WantedDeviceCount = want
	}
}

// waitingTypes says of each account and type whether a job waits that could run there.
func (s *stride) waitingTypes(r *engine.Round) []bool {
	w := len(s.newPasses.Types)
	waits := make([]bool, len(s.newPasses.PassByAccountType))
	for i, e := range r.Entries {
		for k := range w {
			if s.runnable[i*w+k] && !e.HoldsGPUs() {
				waits[s.newPasses.AccountOfJob[i]*w+k] = true
			}
		}
	}
	return waits
}

// quantumSeconds is how long a lease lasts, in seconds, for all we know.
func (s *stride) quantumSeconds() float64 {
	q := max(s.MinRun.Seconds(), 1)
	if !s.lastPasses.At.IsZero() {
		q = max(q, s.newPasses.At.Sub(s.lastPasses.At).Seconds())
	}
	return q
}

// largestStride is by how much a pass grows by one quantum of the job to which it costs
// most, by type.
func (s *stride) largestStride(r *engine.Round, tickets []float64) []float64 {
	w := len(s.newPasses.Types)
	most := make([]float64, w)
	for i, e := range r.Entries {
		for k := range w {
			if t := tickets[s.newPasses.AccountOfJob[i]*w+k]; s.runnable[i*w+k] && t > 0 {
				most[k] = max(most[k], float64(e.Ask.GPUs.Count)*s.quantumSeconds()/t)
			}
		}
	}
	return most
}

// pass is that of the job's account on a type; +Inf where it has no tickets.
func (s *stride) pass(row, k int) float64 {
	i := s.newPasses.AccountOfJob[row]*len(s.newPasses.Types) + k
	if s.newPasses.Tickets[i] <= 0 {
		return math.Inf(1)
	}
	return s.newPasses.PassByAccountType[i]
}

// bestType is the type with the smallest pass among those the job can run on; -1:
// none.
func (s *stride) bestType(row int) int {
	w, best := len(s.newPasses.Types), -1
	for k := range w {
		if s.runnable[row*w+k] && (best < 0 || s.pass(row, k) < s.pass(row, best)) {
			best = k
		}
	}
	return best
}

// compareJobs puts the job that received less first, then the wider.
func (s *stride) compareJobs(a, b *engine.Entry) int {
	return cmp.Or(cmp.Compare(s.newPasses.Service[a.Index], s.newPasses.Service[b.Index]), cmp.Compare(b.Ask.GPUs.Count, a.Ask.GPUs.Count), cmp.Compare(a.ID, b.ID))
}

// grants returns the leases, in Entries order. The account with the smallest pass on
// a type is served next, and its pass grows by what its job will receive; a gang
// that does not fit waits until its account is first. Jobs that run on another type
// come last: they have their turn there.
func (s *stride) grants(r *engine.Round) []engine.Grant {
	h := s.newQueueHeap(r)
	grants := make([]engine.Grant, len(r.Entries))
	for heap.Init(h); h.Len() > 0; {
		q := h.queues[0]
		e := q.jobs[0]
		if g := &grants[e.Index]; !g.HasLease && e.WantedDeviceCount <= h.grantableByType[q.typeIndex] {
			h.grantableByType[q.typeIndex] -= e.WantedDeviceCount
			*g = engine.Grant{HasLease: true, GPUType: s.newPasses.Types[q.typeIndex]}
			q.charge(float64(e.WantedDeviceCount))
		}
		if q.jobs = q.jobs[1:]; len(q.jobs) == 0 {
			heap.Pop(h)
		}
		if h.Len() > 0 {
			heap.Fix(h, 0)
		}
	}
	return grants
}
