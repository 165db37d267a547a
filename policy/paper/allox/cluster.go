package allox

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/solve/assign"
)

// alloxCluster is the cluster as the matching sees it: machines of one GPU
// each, by type and by when they are free.
type alloxCluster struct {
	*engine.Round
	types []string
	banks []assign.MachineGroup
	free  int        // machines free now
	empty *pool.Pool // as if nobody ran
	can   map[string][]bool
	mean  float64 // run time of a job of unknown length, in seconds
}

func newAlloxCluster(r *engine.Round) *alloxCluster {
	c := &alloxCluster{Round: r, types: r.Types(), empty: pool.Empty(r.Nodes, time.Time{}), can: map[string][]bool{}}
	c.mean = c.typical()
	busy := make([][]float64, len(c.types))
	for _, e := range r.Active() {
		for _, slot := range e.On {
			t := slices.Index(c.types, slot.Type)
			if t < 0 {
				continue
			}
			left := c.left(e, slot.Type)
			for range slot.Count {
				busy[t] = append(busy[t], left)
			}
		}
	}
	for t, name := range c.types {
		free := r.Free.TotalFree(name)
		c.free += free
		c.banks = append(c.banks, alloxBanks(t, append(busy[t], make([]float64, free)...))...)
	}
	return c
}

// alloxBanks divides machines into banks by when they are free, which it sorts:
// each time of its own, or those that are free now and eight parts of equal size
// with their means.
func alloxBanks(typ int, free []float64) []assign.MachineGroup {
	slices.Sort(free)
	var banks []assign.MachineGroup
	for i, d := range free {
		if i == 0 || d != free[i-1] {
			banks = append(banks, assign.MachineGroup{Type: typ, Delay: d})
		}
		banks[len(banks)-1].Count++
	}
	if len(banks) <= 8 {
		return banks
	}
	banks = banks[:1]
	if banks[0].Delay > 0 {
		banks = banks[:0]
	} else {
		free = free[banks[0].Count:]
	}
	for part := range 8 {
		some := free[part*len(free)/8 : (part+1)*len(free)/8]
		sum := 0.0
		for _, d := range some {
			sum += d
		}
		if len(some) > 0 {
			banks = append(banks, assign.MachineGroup{Type: typ, Count: len(some), Delay: sum / float64(len(some))})
		}
	}
	return banks
}

// typical is the mean of the run times that are known, an hour where none is.
func (c *alloxCluster) typical() float64 {
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

// left returns the seconds the job runs on GPUs of the type: by its reported
// speed there; by the estimate where it reports none; +Inf where it reports
// speeds, but none there.
func (c *alloxCluster) left(e *engine.Entry, typ string) float64 {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		if rate, ok := t.Rate(typ); ok && rate > 0 {
			return max((t.Steps-t.Done)/rate, 1)
		}
		return math.Inf(1)
	}
	if e.Estimate.Left > 0 {
		return max(e.Estimate.Left.Seconds(), 1)
	}
	return c.mean
}

// runs reports whether the job could run on some type if nobody else did.
func (c *alloxCluster) runs(e *engine.Entry) bool {
	for t, ok := range c.allowed(e) {
		if ok && !math.IsInf(c.left(e, c.types[t]), 1) {
			return true
		}
	}
	return false
}

// allowed returns, by type, whether the job has room there if nobody ran.
func (c *alloxCluster) allowed(e *engine.Entry) []bool {
	key := alloxKey(e)
	can, ok := c.can[key]
	if ok {
		return can
	}
	can = make([]bool, len(c.types))
	for _, name := range c.empty.TypesFor(&e.Ask) {
		if t := slices.Index(c.types, name); t >= 0 {
			ask := e.Ask
			ask.GPUs.Type = name
			_, err := pool.Fit(c.empty, e.Partition, ask)
			can[t] = err == nil
		}
	}
	c.can[key] = can
	return can
}

// alloxKey is equal for asks that have room together.
func alloxKey(e *engine.Entry) string {
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

// times returns how long each job runs on each type.
func (c *alloxCluster) times(jobs []*engine.Entry) [][]float64 {
	times := make([][]float64, len(jobs))
	flat := make([]float64, len(jobs)*len(c.types))
	for i, e := range jobs {
		times[i] = flat[i*len(c.types) : (i+1)*len(c.types)]
		can := c.allowed(e)
		for t, name := range c.types {
			times[i][t] = math.Inf(1)
			if can[t] {
				times[i][t] = c.left(e, name)
			}
		}
	}
	return times
}

// byService compares by what was received, then by name.
func byService(a, b *alloxUser) int {
	return cmp.Or(cmp.Compare(a.served, b.served), cmp.Compare(a.name, b.name))
}
