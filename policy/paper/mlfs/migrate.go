package mlfs

import (
	"math"

	"fairbridge/policy/engine"
)

// leastGain is how many times what its restart costs a job must have left to be stopped for another.
const leastGain = 3

// chooseCandidates notes which running jobs may be stopped: those of the lowest priorities, of which some
// part of all counts, that have more left than their restart is worth.
func (v *priorities) chooseCandidates(line []*engine.Entry) {
	v.mayYield = make([]bool, len(line))
	running := 0
	for _, e := range line {
		if e.HoldsGPUs() {
			running++
		}
	}
	most := int(math.Ceil(v.Candidates * float64(running)))
	for i := len(line) - 1; i >= 0 && most > 0; i-- {
		if e := line[i]; e.HoldsGPUs() {
			most--
			v.mayYield[e.Index] = v.all[e.Index].left > leastGain*e.CheckpointCost.Hours()
		}
	}
}

// tier is the larger the lower a job's priority; that of a running job that is not among the lowest is
// below all.
func (v *priorities) tier(_ *engine.Round, e *engine.Entry) int {
	if e.HoldsGPUs() && !v.mayYield[e.Index] {
		return math.MinInt
	}
	return -int(max(min(v.all[e.Index].sum, 1e9), -1e9) * 1e6)
}
