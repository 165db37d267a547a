package engine

import (
	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Round is one Decide under way. Each field has a single writer.
type Round struct {
	*policy.Snapshot
	FreePool *pool.Pool // what is free; running jobs hold theirs
	Entries  []*Entry   // one per job, in Snapshot order

	gpusByAccount  map[string]float64 // by account; see AccountGPUs
	activeEntries  []*Entry           // see ActiveEntries
	cachedPoolEver *pool.Pool         // see emptyPoolEver
	cachedPoolNow  *pool.Pool         // see emptyPoolNow
	stoppableGPUs  *int               // see countStoppable
	gangsByKey     map[gangKey]*gangFacts
}

// ActiveEntries returns the entries that held devices when the round began, in
// Entries order. The slice is the Round's own.
func (r *Round) ActiveEntries() []*Entry {
	if r.activeEntries == nil {
		r.activeEntries = []*Entry{}
		for _, e := range r.Entries {
			if e.Job.HoldsGPUs() {
				r.activeEntries = append(r.activeEntries, e)
			}
		}
	}
	return r.activeEntries
}

// AccountGPUs returns the whole GPUs the account's jobs hold as the plan stands so
// far: those that run on and those the plan has started.
func (r *Round) AccountGPUs(account string) float64 {
	if r.gpusByAccount == nil {
		r.gpusByAccount = map[string]float64{}
		for _, e := range r.Entries {
			r.addHeld(e, 1)
		}
	}
	return r.gpusByAccount[account]
}

// addHeld adds what the entry holds to its account's sum, or takes it off.
func (r *Round) addHeld(e *Entry, sign float64) {
	if r.gpusByAccount != nil {
		r.gpusByAccount[e.Account] += sign * policy.GPUs{Count: e.Planned.Count(), PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs()
	}
}

// setPlanned notes what the entry holds from now on.
func (r *Round) setPlanned(e *Entry, on policy.Alloc) {
	r.addHeld(e, -1)
	e.Planned = on
	r.addHeld(e, 1)
}

// Startable reports whether the entry runs, or is pending and nothing but the
// plan keeps it from starting now.
func (r *Round) Startable(e *Entry) bool {
	return e.HoldsGPUs() || e.RefusedBecause == nil && e.CanStart(r.Now) && r.WindowError(e) == nil
}

// HasType reports whether the cluster has GPUs of the type; where no cluster is
// given, it may have any.
func (r *Round) HasType(gpuType string) bool {
	return r == nil || r.FreePool == nil || r.FreePool.HasType(gpuType)
}
