package ref

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/share"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/fair"
)

// elasticSizer divides the GPUs and cores of each type that rigid jobs leave among
// the elastic ones.
type elasticSizer struct {
	profiles        speedProfiles
	minGrowthFactor float64
}

// typePool is what a GPU type has left for elastic jobs, and which they are.
type typePool struct {
	gpuType           string
	gpusLeft          int   // GPUs that no rigid job takes
	totalGPUs         int   // GPUs of the type
	elasticJobIndexes []int // places in line
}

// Size implements engine.Sizer.
func (f elasticSizer) Size(r *engine.Round, line []*engine.Entry) ([]int, error) {
	pools := listTypePools(r)
	want := make([]int, len(line))
	for i, e := range line {
		want[i] = e.DeviceCount()
		p := poolOfJob(pools, e)
		if p == nil || !r.MayRun(e) {
			continue
		}
		least := sizing.Least(e)
		if p.gpusLeft < least && !e.HoldsGPUs() {
			continue
		}
		p.gpusLeft -= least
		if sizing.HasRange(e) {
			p.elasticJobIndexes = append(p.elasticJobIndexes, i)
		}
	}
	cores := 0.0
	for i := range r.Nodes {
		if r.Nodes[i].DownReason == "" {
			cores += float64(r.Nodes[i].CPUs)
		}
	}
	weights := share.DominantFairness{}.Weights(r)
	for i := range pools {
		if pools[i].totalGPUs > 0 {
			f.divideGPUs(r, &pools[i], cores*float64(pools[i].totalGPUs)/float64(sumTotalGPUs(pools)), weights, line, want)
		}
	}
	return want, nil
}

// divideGPUs sets the sizes of the elastic jobs of one type.
func (f elasticSizer) divideGPUs(r *engine.Round, p *typePool, cores float64, weights map[string]float64, line []*engine.Entry, want []int) {
	n := len(p.elasticJobIndexes)
	weight, alpha, least, most := make([]float64, n), make([][]float64, n), make([]int, n), make([]int, n)
	mates := map[string]float64{}
	for _, i := range p.elasticJobIndexes {
		mates[line[i].Account]++
	}
	total := max(p.gpusLeft, 0)
	for k, i := range p.elasticJobIndexes {
		e := line[i]
		weight[k] = weights[e.Account] / mates[e.Account]
		alpha[k] = f.profiles.elasticities(e.Class, p.gpuType)
		least[k], most[k] = e.MinGPUs, e.MaxGPUs
		total += e.MinGPUs
	}
	shares := fair.DivideByElasticities(weight, alpha, []float64{float64(total), cores})
	gpus := make([]float64, n)
	for k := range shares {
		gpus[k] = shares[k][0]
	}
	for k, size := range fair.RoundSharesToWhole(gpus, least, most, total) {
		e := line[p.elasticJobIndexes[k]]
		want[p.elasticJobIndexes[k]] = f.sizeWorthRestart(e, size)
		if !r.OmitReasons {
			sum := alpha[k][0] + alpha[k][1]
			e.Note = fmt.Sprintf("due %.2f of %s and %.1f of %.0f cores by its elasticities of %.2f and %.2f",
				shares[k][0], policy.FormatCount(total, "GPU"), shares[k][1], cores, alpha[k][0]/sum, alpha[k][1]/sum)
		}
	}
}

// sizeWorthRestart leaves a running job at its size unless it shrinks, or grows enough.
func (f elasticSizer) sizeWorthRestart(e *engine.Entry, want int) int {
	has := e.On.Count()
	if rule := (sizing.RestartRule{MinStep: f.minGrowthFactor}); e.HoldsGPUs() && want > has && !rule.IsWorthGrowing(e, want, math.Inf(1)) {
		return has
	}
	return want
}

// listTypePools counts the GPUs of every type that are free or held by jobs of the
// round.
func listTypePools(r *engine.Round) []typePool {
	var pools []typePool
	for _, c := range r.ListCapacities(nil) {
		all := c.Free + c.Stoppable + c.Fixed
		pools = append(pools, typePool{gpuType: c.GPUType, gpusLeft: all, totalGPUs: all})
	}
	return pools
}

// sumTotalGPUs returns the GPUs of all types; at least 1.
func sumTotalGPUs(pools []typePool) int {
	n := 0
	for _, p := range pools {
		n += p.totalGPUs
	}
	return max(n, 1)
}

// poolOfType returns the pool of the type, or nil.
func poolOfType(pools []typePool, typ string) *typePool {
	for i := range pools {
		if pools[i].gpuType == typ {
			return &pools[i]
		}
	}
	return nil
}

// poolOfJob returns the pool the job takes its GPUs from: that of the type it
// holds or asks, or the only one; nil where that is open.
func poolOfJob(pools []typePool, e *engine.Entry) *typePool {
	switch {
	case len(e.On) > 0:
		return poolOfType(pools, e.On.FirstType())
	case e.Ask.GPUs.Type != "":
		return poolOfType(pools, e.Ask.GPUs.Type)
	case len(pools) == 1:
		return &pools[0]
	}
	return nil
}
