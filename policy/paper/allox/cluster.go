package allox

import (
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/solve/assign"
)

// cluster is the cluster as the matching sees it: machines of one GPU
// each, by type and by when they are free.
type cluster struct {
	*engine.Round
	types            []string
	groups           []assign.MachineGroup
	freeMachines     int        // now
	emptyPool        *pool.Pool // as if no job ran
	allowedByRequest map[string][]bool
	unknownRunTime   float64 // run time of a job of unknown length, in seconds
}

func newCluster(r *engine.Round) *cluster {
	c := &cluster{Round: r, types: r.Types(), emptyPool: pool.Empty(r.Nodes, time.Time{}), allowedByRequest: map[string][]bool{}}
	c.unknownRunTime = c.meanRunTime()
	busy := make([][]float64, len(c.types))
	for _, e := range r.Active() {
		for _, slot := range e.On {
			t := slices.Index(c.types, slot.Type)
			if t < 0 {
				continue
			}
			left := c.remainingTime(e, slot.Type)
			for range slot.Count {
				busy[t] = append(busy[t], left)
			}
		}
	}
	for t, name := range c.types {
		free := r.Free.TotalFree(name)
		c.freeMachines += free
		c.groups = append(c.groups, groupMachines(t, append(busy[t], make([]float64, free)...))...)
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
			groups = append(groups, assign.MachineGroup{Type: typ, Delay: d})
		}
		groups[len(groups)-1].Count++
	}
	if len(groups) <= 8 {
		return groups
	}
	groups = groups[:1]
	if groups[0].Delay > 0 {
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
			groups = append(groups, assign.MachineGroup{Type: typ, Count: len(part), Delay: sum / float64(len(part))})
		}
	}
	return groups
}

// meanRunTime is the mean of the run times that are known, an hour where none is.
func (c *cluster) meanRunTime() float64 {
	sum, n := 0.0, 0.0
	for _, e := range c.Entries {
		if e.Estimate.Left > 0 {
			sum += e.Estimate.Left.Seconds()
			n++
		}
	}
	if n == 0 {
		return 3600
	}
	return sum / n
}

// remainingTime returns the seconds the job runs on GPUs of the type: by its reported
// speed there; by the estimate where it reports none; +Inf where it reports
// speeds, but none there.
func (c *cluster) remainingTime(e *engine.Entry, typ string) float64 {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		if rate, ok := t.Rate(typ); ok && rate > 0 {
			return max((t.Steps-t.Done)/rate, 1)
		}
		return math.Inf(1)
	}
	if e.Estimate.Left > 0 {
		return max(e.Estimate.Left.Seconds(), 1)
	}
	return c.unknownRunTime
}

// canRun reports whether the job could run on some type if no other did.
func (c *cluster) canRun(e *engine.Entry) bool {
	for t, ok := range c.allowedTypes(e) {
		if ok && !math.IsInf(c.remainingTime(e, c.types[t]), 1) {
			return true
		}
	}
	return false
}

// allowedTypes returns, by type, whether the job has room there if no other ran.
func (c *cluster) allowedTypes(e *engine.Entry) []bool {
	key := requestKey(e)
	allowed, ok := c.allowedByRequest[key]
	if ok {
		return allowed
	}
	allowed = make([]bool, len(c.types))
	for _, name := range c.emptyPool.TypesFor(&e.Ask) {
		if t := slices.Index(c.types, name); t >= 0 {
			ask := e.Ask
			ask.GPUs.Type = name
			_, err := pool.Fit(c.emptyPool, e.Partition, ask)
			allowed[t] = err == nil
		}
	}
	c.allowedByRequest[key] = allowed
	return allowed
}

// requestKey is equal for requests that fit into the same places.
func requestKey(e *engine.Entry) string {
	a := &e.Ask
	key := make([]byte, 0, 96)
	for _, n := range [...]int64{int64(a.GPUs.Count), int64(a.Nodes), int64(a.MaxNodes), int64(a.PerNode), int64(a.CPUs), a.MemMB} {
		for ; n > 0; n >>= 8 {
			key = append(key, byte(n))
		}
		key = append(key, ';')
	}
	parts := []string{string(key), e.Partition, a.GPUs.Type, strings.Join(a.Require, ","), strings.Join(a.Exclude, ","), strings.Join(a.Features, ",")}
	return strings.Join(parts, ";")
}

// processingTimes returns how long each job runs on each type.
func (c *cluster) processingTimes(jobs []*engine.Entry) [][]float64 {
	times := make([][]float64, len(jobs))
	flat := make([]float64, len(jobs)*len(c.types))
	for i, e := range jobs {
		times[i] = flat[i*len(c.types) : (i+1)*len(c.types)]
		allowed := c.allowedTypes(e)
		for t, name := range c.types {
			times[i][t] = math.Inf(1)
			if allowed[t] {
				times[i][t] = c.remainingTime(e, name)
			}
		}
	}
	return times
}
