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

// strideScheduler is an engine.Allocator: it orders the jobs of one round by the passes of
// their accounts, and grants them the GPUs of each type.
type strideScheduler struct {
	*Policy
	lastPasses *passes // as remembered
	newPasses  *passes // by Allocate
	isRunnable []bool  // jobs by types: it could run there
}

// Allocate implements engine.Allocator: by the smallest pass of the account on any
// type the job can run on, then by what the job received.
func (s *strideScheduler) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.newPasses = s.lastPasses.update(r, r.GPUTypes())
	s.findRunnable(r)
	s.newPasses.subtractLeastPass(s.findWaitingTypes(r))
	tickets := s.divideTickets(r)
	s.newPasses.renewTickets(tickets, s.largestStrideByType(r, tickets))
	grants, pass := s.grantLeases(r), make([]float64, len(r.Entries))
	for i := range pass {
		if pass[i] = math.Inf(1); s.leastPassType(i) >= 0 {
			pass[i] = s.passOfJob(i, s.leastPassType(i))
		}
	}
	line, turns := slices.Clone(r.Entries), make([]engine.Assignment, len(r.Entries))
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(pass[a.Index], pass[b.Index]), s.compareJobs(a, b))
	})
	for i, e := range line {
		turns[i] = e.AssignmentWithoutLease()
		turns[i].Grant = grants[e.Index]
		if k := s.leastPassType(e.Index); k >= 0 && !r.OmitReasons && !math.IsInf(pass[e.Index], 1) {
			turns[i].Note = fmt.Sprintf("its account has received %.2f GPU-hours a ticket on %s more than the last who waits",
				pass[e.Index]/3600, s.newPasses.Types[k])
		}
	}
	return turns, nil
}

// findRunnable finds out which job could run where: a job that holds another number
// of GPUs than it asks, with as many as it asks.
func (s *strideScheduler) findRunnable(r *engine.Round) {
	w := len(s.newPasses.Types)
	s.isRunnable = make([]bool, len(r.Entries)*w)
	for i, e := range r.Entries {
		want := e.WantedDeviceCount
		e.WantedDeviceCount = e.Ask.GPUs.Count
		for k, t := range s.newPasses.Types {
			s.isRunnable[i*w+k] = r.MayRun(e) && rounds.MayRunOnType(r, e, t)
		}
		e.WantedDeviceCount = want
	}
}

// findWaitingTypes says of each account and type whether a job waits that could run there.
func (s *strideScheduler) findWaitingTypes(r *engine.Round) []bool {
	w := len(s.newPasses.Types)
	waits := make([]bool, len(s.newPasses.PassByAccountType))
	for i, e := range r.Entries {
		for k := range w {
			if s.isRunnable[i*w+k] && !e.HoldsGPUs() {
				waits[s.newPasses.AccountOfJob[i]*w+k] = true
			}
		}
	}
	return waits
}

// quantumSeconds is how long a lease lasts, in seconds, for all we know.
func (s *strideScheduler) quantumSeconds() float64 {
	q := max(s.MinRun.Seconds(), 1)
	if !s.lastPasses.At.IsZero() {
		q = max(q, s.newPasses.At.Sub(s.lastPasses.At).Seconds())
	}
	return q
}

// largestStrideByType is by how much a pass grows by one quantum of the job to which it
// costs most, by type.
func (s *strideScheduler) largestStrideByType(r *engine.Round, tickets []float64) []float64 {
	w := len(s.newPasses.Types)
	most := make([]float64, w)
	for i, e := range r.Entries {
		for k := range w {
			if t := tickets[s.newPasses.AccountOfJob[i]*w+k]; s.isRunnable[i*w+k] && t > 0 {
				most[k] = max(most[k], float64(e.Ask.GPUs.Count)*s.quantumSeconds()/t)
			}
		}
	}
	return most
}

// passOfJob is that of the job's account on a type; +Inf where it has no tickets.
func (s *strideScheduler) passOfJob(row, k int) float64 {
	i := s.newPasses.AccountOfJob[row]*len(s.newPasses.Types) + k
	if s.newPasses.Tickets[i] <= 0 {
		return math.Inf(1)
	}
	return s.newPasses.PassByAccountType[i]
}

// leastPassType is the type with the smallest pass among those the job can run on; -1:
// none.
func (s *strideScheduler) leastPassType(row int) int {
	w, best := len(s.newPasses.Types), -1
	for k := range w {
		if s.isRunnable[row*w+k] && (best < 0 || s.passOfJob(row, k) < s.passOfJob(row, best)) {
			best = k
		}
	}
	return best
}

// compareJobs puts the job that received less first, then the wider.
func (s *strideScheduler) compareJobs(a, b *engine.Entry) int {
	return cmp.Or(cmp.Compare(s.newPasses.Service[a.Index], s.newPasses.Service[b.Index]), cmp.Compare(b.Ask.GPUs.Count, a.Ask.GPUs.Count), cmp.Compare(a.ID, b.ID))
}

// grantLeases returns the leases, in Entries order. The account with the smallest pass on
// a type is served next, and its pass grows by what its job will receive; a gang
// that does not fit waits until its account is first. Jobs that run on another type
// come last: they have their turn there.
func (s *strideScheduler) grantLeases(r *engine.Round) []engine.Grant {
	h := s.newQueueHeap(r)
	grants := make([]engine.Grant, len(r.Entries))
	for heap.Init(h); h.Len() > 0; {
		q := h.queues[0]
		e := q.jobs[0]
		if g := &grants[e.Index]; !g.HasLease && e.WantedDeviceCount <= h.grantableGPUsByType[q.typeIndex] {
			h.grantableGPUsByType[q.typeIndex] -= e.WantedDeviceCount
			*g = engine.Grant{HasLease: true, GPUType: s.newPasses.Types[q.typeIndex]}
			q.chargeGPUs(float64(e.WantedDeviceCount))
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
