package engine

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Capacity is how many devices of one GPU type there are in a round, wherever they are. How many of
// them a node can give a particular job, the pool says.
type Capacity struct {
	GPUType   string
	IsSlice   bool // they are parts of a GPU, which only an ask of their type gets
	Healthy   int  // of nodes that are up
	Free      int  // of the healthy ones, that no job holds
	Stoppable int  // held by jobs that may be stopped, wherever these run
	Fixed     int  // held by the others
	PerNode   int  // of a whole node: the most healthy ones of any node that is up; at least 1
}

// Grantable returns the devices that are free or held by jobs that may be stopped.
func (c *Capacity) Grantable() int { return c.Free + c.Stoppable }

// Capacities are those of all types.
type Capacities []Capacity

// Find returns the capacity of a type; nil: the cluster has no such GPUs.
func (all Capacities) Find(gpuType string) *Capacity {
	for i := range all {
		if all[i].GPUType == gpuType {
			return &all[i]
		}
	}
	return nil
}

// ListCapacities counts the devices of each type, in order of nodes and types. mayStop says which
// running jobs may be stopped; nil: those that are not IsUnstoppable.
func (r *Round) ListCapacities(mayStop func(*Entry) bool) Capacities {
	var all Capacities
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			c := all.Find(d.Type)
			if c == nil {
				all = append(all, Capacity{GPUType: d.Type, IsSlice: !d.IsWholeGPU(), Free: r.FreePool.TotalFree(d.Type), PerNode: 1})
				c = &all[len(all)-1]
			}
			c.addNode(&r.Nodes[i], d)
		}
	}
	held := heldDevices{}
	for _, stops := range []bool{false, true} { // a device is fixed if one of those that share it is
		for _, e := range r.RunningEntries() {
			if (mayStop == nil && !e.IsUnstoppable || mayStop != nil && mayStop(e)) == stops {
				all.addHeld(e, stops, held)
			}
		}
	}
	return all
}

// heldDevices are those of which it is known that they are held, by node and type.
type heldDevices map[[2]string]policy.DeviceSet

// add notes the slot's devices and returns how many of them no job was known to hold.
func (h heldDevices) add(s policy.Slot) int {
	if s.Devices == 0 {
		return s.Count
	}
	at := [2]string{s.Node, s.Type}
	was := h[at]
	h[at] = was | s.Devices
	return (s.Devices &^ was).Count()
}

func (c *Capacity) addNode(n *policy.Node, d policy.NodeDevices) {
	if n.DownReason == "" {
		healthy := max(d.Count-d.SickCount, 0)
		c.Healthy += healthy
		c.PerNode = max(c.PerNode, healthy)
	}
}

func (all Capacities) addHeld(e *Entry, mayStop bool, held heldDevices) {
	for _, slot := range e.On {
		switch c := all.Find(slot.Type); {
		case c == nil:
		case mayStop:
			c.Stoppable += held.add(slot)
		default:
			c.Fixed += held.add(slot)
		}
	}
}

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

// Where Snapshot.RecallWithin says so, jobs that are opportunistic run on what others leave: they come last in line,
// count to no quota, and give way to every job that is not, whatever the stages say and however short they ran.

// lentTier is the tier of jobs that run on what others leave: beyond any other.
const lentTier = math.MaxInt

// isLent reports whether the job has what it has, or will have, only until another is to have it.
func (r *Round) isLent(j *policy.Job) bool { return r.RecallWithin > 0 && j.IsOpportunistic() }

// moveLentLast moves the jobs that run on what others leave to the end of the line.
func moveLentLast(r *Round, line []*Entry) []*Entry {
	if r.RecallWithin <= 0 {
		return line
	}
	own := appendMatching(make([]*Entry, 0, len(line)), line, func(e *Entry) bool { return !e.IsOpportunistic() })
	return appendMatching(own, line, func(e *Entry) bool { return e.IsOpportunistic() })
}

// hasLent reports whether a running job may be called back.
func hasLent(r *Round) bool {
	for _, e := range r.Entries {
		if isRecallable(r, e.Job) {
			return true
		}
	}
	return false
}

// isRecallable reports whether a running job may be stopped for one that does not run on what others leave.
func isRecallable(r *Round, j *policy.Job) bool {
	return r.isLent(j) && j.State == policy.Running && j.UnstoppableReason == "" && len(j.On) > 0
}

// recallText says why a job is called back.
func recallText(r *Round, victim, e *Entry) string {
	return fmt.Sprintf("is called back from %v, which it had while no other job was to have it, for job %s of account %s (within %s); it has run %s",
		victim.On, e.Label(), e.Account, policy.FormatDuration(r.RecallWithin), policy.FormatDuration(victim.Ran(r.Now)))
}
