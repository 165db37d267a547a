package allox

import (
	"math"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/solve/assign"
)

// cluster is the cluster as the matching sees it: machines of one GPU
// each, by type and by when they are free.
type cluster struct {
	*engine.Round
	gpuTypes          []string
	machineGroups     []assign.MachineGroup
	freeMachineCount  int         // now
	runSecondsByJob   [][]float64 // by job: see processingSeconds
	unknownRunSeconds float64     // run time of a job of unknown length, in seconds
}

func newCluster(r *engine.Round) *cluster {
	c := &cluster{Round: r, gpuTypes: r.GPUTypes(), runSecondsByJob: make([][]float64, len(r.Entries))}
	c.unknownRunSeconds = c.meanRunSeconds()
	busy := make([][]float64, len(c.gpuTypes))
	for _, e := range r.RunningEntries() {
		for _, slot := range e.On {
			t := slices.Index(c.gpuTypes, slot.Type)
			if t < 0 {
				continue
			}
			left := c.remainingSeconds(e, slot.Type)
			for range slot.Count {
				busy[t] = append(busy[t], left)
			}
		}
	}
	for t, name := range c.gpuTypes {
		free := r.FreePool.TotalFree(name)
		c.freeMachineCount += free
		c.machineGroups = append(c.machineGroups, groupMachines(t, append(busy[t], make([]float64, free)...))...)
	}
	return c
}

// groupMachines divides machines into groups by when they are free, which it sorts:
// each time of its own, or those that are free now and eight parts of equal size
// with their means.
func groupMachines(typ int, free []float64) []assign.MachineGroup {
	slices.Sort(free)
	var groups []assign.MachineGroup
	for i, d := range free {
		if i == 0 || d != free[i-1] {
			groups = append(groups, assign.MachineGroup{Type: typ, FreeAfter: d})
		}
		groups[len(groups)-1].Count++
	}
	if len(groups) <= 8 {
		return groups
	}
	groups = groups[:1]
	if groups[0].FreeAfter > 0 {
		groups = groups[:0]
	} else {
		free = free[groups[0].Count:]
	}
	for i := range 8 {
		part := free[i*len(free)/8 : (i+1)*len(free)/8]
		sum := 0.0
		for _, d := range part {
			sum += d
		}
		if len(part) > 0 {
			groups = append(groups, assign.MachineGroup{Type: typ, Count: len(part), FreeAfter: sum / float64(len(part))})
		}
	}
	return groups
}

// meanRunSeconds is the mean of the run times that are known, an hour where none is.
func (c *cluster) meanRunSeconds() float64 {
	sum, n := 0.0, 0.0
	for _, e := range c.Entries {
		if e.Estimate().TimeLeft > 0 {
			sum += e.Estimate().TimeLeft.Seconds()
			n++
		}
	}
	if n == 0 {
		return 3600
	}
	return sum / n
}

// remainingSeconds returns the seconds the job runs on GPUs of the type: by its reported
// speed there; by the estimate where it reports none; +Inf where it reports
// speeds, but none there.
func (c *cluster) remainingSeconds(e *engine.Entry, typ string) float64 {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		if rate, ok := t.Rate(typ); ok && rate > 0 {
			return max((t.Steps-t.StepsDone)/rate, 1)
		}
		return math.Inf(1)
	}
	if e.Estimate().TimeLeft > 0 {
		return max(e.Estimate().TimeLeft.Seconds(), 1)
	}
	return c.unknownRunSeconds
}

// canRunSomewhere reports whether the job could run on some type if no other did.
func (c *cluster) canRunSomewhere(e *engine.Entry) bool {
	return slices.ContainsFunc(c.processingSeconds(e), func(seconds float64) bool { return !math.IsInf(seconds, 1) })
}

// processingSeconds returns how many seconds the job runs on GPUs of each type; +Inf
// where it would have no room, with as many as it asks, if no other job ran.
func (c *cluster) processingSeconds(e *engine.Entry) []float64 {
	if c.runSecondsByJob[e.Index] != nil {
		return c.runSecondsByJob[e.Index]
	}
	times, grant, want := slices.Repeat([]float64{math.Inf(1)}, len(c.gpuTypes)), e.Grant, e.WantedDeviceCount
	e.WantedDeviceCount = e.Ask.GPUs.Count
	for _, name := range c.FreePool.TypesFor(&e.Ask) {
		e.Grant = engine.Grant{HasLease: true, GPUType: name}
		if t := slices.Index(c.gpuTypes, name); t >= 0 && c.CheckEverFits(e) == nil {
			times[t] = c.remainingSeconds(e, name)
		}
	}
	c.runSecondsByJob[e.Index], e.Grant, e.WantedDeviceCount = times, grant, want
	return times
}
