package ref

import (
	"fmt"

	"fairbridge/policy/engine"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/fair"
)

// refSizer divides the GPUs and cores of each type that rigid jobs leave among
// the elastic ones.
type refSizer struct {
	profiles refProfiles
	step     float64
}

// refPool is what a GPU type has left for elastic jobs, and who they are.
type refPool struct {
	typ     string
	gpus    int   // left of them
	all     int   // GPUs of the type
	elastic []int // places in line
}

// Size implements engine.Sizer.
func (f refSizer) Size(r *engine.Round, line []*engine.Entry) ([]int, error) {
	pools := refPools(r)
	want := make([]int, len(line))
	for i, e := range line {
		want[i] = e.Size()
		p := refPoolOf(pools, e)
		if p == nil || !r.Startable(e) {
			continue
		}
		least := want[i]
		flexible := e.Elastic() && e.Fixed == "" && e.Unplaced == ""
		if flexible {
			least = e.MinGPUs
		}
		if p.gpus < least && !e.Active() {
			continue
		}
		p.gpus -= least
		if flexible {
			p.elastic = append(p.elastic, i)
		}
	}
	cores := 0
	for i := range r.Nodes {
		if r.Nodes[i].Down == "" {
			cores += r.Nodes[i].CPUs
		}
	}
	weights := share.Dominant{}.Weights(r)
	for i := range pools {
		if pools[i].all > 0 {
			f.divide(r, &pools[i], float64(cores)*float64(pools[i].all)/float64(refAll(pools)), weights, line, want)
		}
	}
	return want, nil
}

// divide sets the sizes of the elastic jobs of one type.
func (f refSizer) divide(r *engine.Round, p *refPool, cores float64, weights map[string]float64, line []*engine.Entry, want []int) {
	n := len(p.elastic)
	weight, alpha, least, most := make([]float64, n), make([][]float64, n), make([]int, n), make([]int, n)
	mates := map[string]float64{}
	for _, i := range p.elastic {
		mates[line[i].Account]++
	}
	total := max(p.gpus, 0)
	for k, i := range p.elastic {
		e := line[i]
		weight[k] = weights[e.Account] / mates[e.Account]
		alpha[k] = f.profiles.elasticities(e.Class, p.typ)
		least[k], most[k] = e.MinGPUs, e.MaxGPUs
		total += e.MinGPUs
	}
	shares := fair.CobbDouglas(weight, alpha, []float64{float64(total), cores})
	gpus := make([]float64, n)
	for k := range shares {
		gpus[k] = shares[k][0]
	}
	for k, size := range fair.RoundToWhole(gpus, least, most, total) {
		e := line[p.elastic[k]]
		want[p.elastic[k]] = f.settle(e, size)
		if !r.Terse {
			sum := alpha[k][0] + alpha[k][1]
			e.Note = fmt.Sprintf("due %.2f of %d GPUs and %.1f of %.0f cores by its elasticities of %.2f and %.2f",
				shares[k][0], total, shares[k][1], cores, alpha[k][0]/sum, alpha[k][1]/sum)
		}
	}
}

// settle leaves a running job at its size unless it shrinks, or grows enough.
func (f refSizer) settle(e *engine.Entry, want int) int {
	if has := e.On.Count(); e.Active() && want > has && float64(want) < f.step*float64(has) {
		return has
	}
	return want
}

// refPools counts the GPUs of every type that are free or held by jobs of the
// round.
func refPools(r *engine.Round) []refPool {
	var pools []refPool
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if refPoolNamed(pools, d.Type) == nil {
				free := r.Free.TotalFree(d.Type)
				pools = append(pools, refPool{typ: d.Type, gpus: free, all: free})
			}
		}
	}
	for _, e := range r.Active() {
		for _, slot := range e.On {
			if p := refPoolNamed(pools, slot.Type); p != nil {
				p.gpus += slot.Count
				p.all += slot.Count
			}
		}
	}
	return pools
}

func refAll(pools []refPool) int {
	n := 0
	for _, p := range pools {
		n += p.all
	}
	return max(n, 1)
}

func refPoolNamed(pools []refPool, typ string) *refPool {
	for i := range pools {
		if pools[i].typ == typ {
			return &pools[i]
		}
	}
	return nil
}

// refPoolOf returns the pool the job takes its GPUs from: that of the type it
// holds or asks, or the only one; nil where that is open.
func refPoolOf(pools []refPool, e *engine.Entry) *refPool {
	switch {
	case len(e.On) > 0:
		return refPoolNamed(pools, e.On.Type())
	case e.Ask.GPUs.Type != "":
		return refPoolNamed(pools, e.Ask.GPUs.Type)
	case len(pools) == 1:
		return &pools[0]
	}
	return nil
}
