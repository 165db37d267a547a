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

	*leftovers
	predictor                Predictor          // nil: nothing is predicted
	gpusByAccount            map[string]float64 // by account; see AccountGPUs
	runningEntries           []*Entry           // see RunningEntries
	cachedPoolWithoutWindows *pool.Pool         // see emptyPoolWithoutWindows
	stoppableDevicesByType   map[string]int     // see countStoppableDevices
}

// RunningEntries returns the entries that held devices when the round began, in
// Entries order. The slice is the Round's own.
func (r *Round) RunningEntries() []*Entry {
	if r.runningEntries == nil {
		r.runningEntries = []*Entry{}
		for _, e := range r.Entries {
			if e.Job.HoldsGPUs() {
				r.runningEntries = append(r.runningEntries, e)
			}
		}
	}
	return r.runningEntries
}

// AccountGPUs returns the whole GPUs the account's jobs hold as the plan stands so
// far: those that run on and those the plan has started.
func (r *Round) AccountGPUs(account string) float64 {
	if r.gpusByAccount == nil {
		r.gpusByAccount = map[string]float64{}
		for _, e := range r.Entries {
			r.addAccountGPUs(e, 1)
		}
	}
	return r.gpusByAccount[account]
}

// addAccountGPUs adds what the entry holds to its account's sum, or takes it off.
func (r *Round) addAccountGPUs(e *Entry, sign float64) {
	if r.gpusByAccount != nil && !r.isLent(e.Job) {
		r.gpusByAccount[e.Account] += sign * policy.GPUs{Count: e.PlannedAlloc.Count(), PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs()
	}
}

// setPlannedAlloc notes what the entry holds from now on.
func (r *Round) setPlannedAlloc(e *Entry, on policy.Alloc) {
	r.addAccountGPUs(e, -1)
	e.PlannedAlloc = on
	r.addAccountGPUs(e, 1)
}

// MayRun reports whether the entry runs, or is pending and nothing but the
// plan keeps it from starting now.
func (r *Round) MayRun(e *Entry) bool {
	return e.HoldsGPUs() || e.RefusedBecause == nil && e.CanStart(r.Now) && r.WindowError(e) == nil
}

// HasGPUType reports whether the cluster has GPUs of the type; where no cluster is
// given, it may have any.
func (r *Round) HasGPUType(gpuType string) bool {
	return r == nil || r.FreePool == nil || r.FreePool.HasType(gpuType)
}
