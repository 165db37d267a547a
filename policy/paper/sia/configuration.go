package sia

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

// configuration is a way to run a job.
type configuration struct {
	kind      int // index of its GPU type
	devices   int
	goodput   float64 // relative to the least of the job's; at least 1
	isPresent bool    // the job has it
}

// round is one choice under way.
type round struct {
	*engine.Round
	*Policy
	kinds []kind
}

// configurations lists what the job may have, its goodputs relative to the least. A job that
// asks for a fixed number of devices has it on every type it accepts, and its least counts as
// that number.
func (r *round) configurations(e *engine.Entry) []configuration {
	var all []configuration
	s, least := speeds{Job: e.Job, round: r.Round, kinds: r.kinds}, math.Inf(1)
	for k := range r.kinds {
		if !accepts(r.Round, e.Job, r.kinds[k].gpuType) {
			continue
		}
		if s.reference == "" {
			s.reference = r.kinds[k].gpuType
		}
		for _, n := range r.sizesFor(e, &r.kinds[k]) {
			c := configuration{k, n, s.goodput(&r.kinds[k], n), e.HoldsGPUs() && n == e.On.Count() && e.On.FirstType() == r.kinds[k].gpuType}
			if c.goodput > 0 && (c.isPresent || r.everFits(e, c)) {
				all = append(all, c)
				least = min(least, c.goodput)
			}
		}
	}
	if !e.IsElastic() {
		least /= float64(max(e.Ask.GPUs.Count, 1))
	}
	for i := range all {
		all[i].goodput /= least
	}
	return all
}

// sizesFor are the numbers of devices of a type that the job may have, ascending.
func (r *round) sizesFor(e *engine.Entry, k *kind) []int {
	if !sizing.HasRange(e) {
		return []int{e.DeviceCount()}
	}
	least, most := max(e.MinGPUs, 1), sizing.MostMeasured(e)
	sizes := slices.DeleteFunc(k.sizes(), func(n int) bool { return n < least || n > most })
	if len(sizes) == 0 {
		sizes = append(sizes, least)
	}
	if has := e.On.Count(); has > 0 && e.On.FirstType() == k.gpuType && !slices.Contains(sizes, has) {
		sizes = append(sizes, has)
	}
	slices.Sort(sizes)
	return sizes
}

// everFits reports whether the job could run so if no other did.
func (r *round) everFits(e *engine.Entry, c configuration) bool {
	if c.devices > r.kinds[c.kind].capacity {
		return false
	}
	return sizing.EverFits(r.Round, e, r.kinds[c.kind].gpuType, c.devices)
}

// greatestCost is that of a configuration from which a job hardly profits.
const greatestCost = 3000

// cost is what a configuration adds to the sum that is made least, and the same without
// rounding.
func (r *round) cost(j *policy.Job, c configuration) (rounded, exact float64) {
	worth := c.goodput
	if j.HoldsGPUs() && !c.isPresent {
		worth *= restartFactor(r.Now.Sub(j.Arrive), r.restartCost(j), j.StopCount)
	}
	exact = min(math.Pow(worth, r.Power), greatestCost)
	return math.RoundToEven(100*exact) / 100, exact
}

// restartFactor is what is left of a goodput if it takes one more restart. A job younger than a
// restart takes is not held back.
func restartFactor(age, cost time.Duration, restarts int) float64 {
	if age < cost || cost <= 0 {
		return 1
	}
	return max(sizing.LifeFactor(age, cost, restarts), 0)
}

// restartCost is what a restart costs the job.
func (r *round) restartCost(j *policy.Job) time.Duration {
	return sizing.RestartRule{Cost: r.Restart, CostByClass: r.Restarts}.CostOf(j)
}
