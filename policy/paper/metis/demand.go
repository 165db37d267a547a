package metis

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// demandMemory is over which time the cluster's demand is a mean, the latest counting most.
const demandMemory = 4 * time.Hour

// demand is how many GPUs jobs hold, or ask for where they could start, as a part of those there are. It is remembered.
type demand struct {
	At   time.Time `json:"at,omitzero"`
	Mean float64   `json:"mean"` // over demandMemory
	now  float64
}

// next returns the demand with what a round shows.
func (d demand) next(r *engine.Round) demand {
	gpus := 0.0
	for _, e := range r.Entries {
		if e.HoldsGPUs() || r.MayRun(e) {
			gpus += policy.GPUs{Count: e.DeviceCount(), PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs() * float64(e.TaskCount())
		}
	}
	now, weight := gpus/max(r.WholeGPUs(), 1), 1.0
	if !d.At.IsZero() {
		weight = 1 - math.Exp(-max(r.Now.Sub(d.At), 0).Hours()/demandMemory.Hours())
	}
	return demand{r.Now, d.Mean + weight*(now-d.Mean), now}
}

// level is how full the cluster is taken to be: as it is or as it was lately, whichever is more.
func (d demand) level() float64 { return max(d.now, d.Mean) }
