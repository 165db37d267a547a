package workload

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/policy"
)

// medianLimitFactor is the median of time limits in run times; they spread log-normally
// by one. People who do not know ask for all there is: the largest limit that is allowed
// is the most popular one (D. Tsafrir, Y. Etsion, D. G. Feitelson, "Modeling User Runtime
// Estimates", JSSPP 2005). The numbers are ours.
const (
	medianLimitFactor = 4
	maxLimitJobShare  = .4
)

// limitRandomStream is the stream of chance of time limits.
const limitRandomStream = 5

// DrawTimeLimit draws the time limit of a job: whole five minutes, never less than it
// runs, at most the greatest there is.
func DrawTimeLimit(r *rand.Rand, duration float64, greatest time.Duration) time.Duration {
	if r.Float64() < maxLimitJobShare {
		return greatest
	}
	const five = 5 * time.Minute
	asked := duration * max(medianLimitFactor*math.Exp(r.NormFloat64()), 1.05)
	limit := time.Duration(math.Ceil(asked/five.Seconds())) * five
	return min(limit, greatest)
}

// TimeLimitOfJob is what the owner of a job of a number that runs for so many seconds
// would ask for, as in drawn days: four of ten ask for the greatest limit there is, the
// others for a multiple of the run time, four in the median. The same number gets the
// same.
func TimeLimitOfJob(id int64, duration float64, greatest time.Duration) time.Duration {
	return DrawTimeLimit(rand.New(rand.NewPCG(uint64(id), limitRandomStream)), duration, greatest)
}

// CheckCPUScaling says what makes no sense of how a job's speed is told to depend on cores and memory; nil
// where all does, and where nothing is told.
func CheckCPUScaling(c *policy.CPUScaling) error {
	if c == nil {
		return nil
	}
	if len(c.Points) == 0 {
		return errors.New("it has no points; give one or more, or leave it out")
	}
	for i, p := range c.Points {
		switch {
		case !(p.CPUs > 0) || math.IsInf(p.CPUs, 0):
			return fmt.Errorf("points[%d]: %g cpus, want more than 0", i, p.CPUs)
		case p.MemMB < 0:
			return fmt.Errorf("points[%d]: mem_mb %d, want 0 or more", i, p.MemMB)
		case !(p.Speed > 0) || math.IsInf(p.Speed, 0):
			return fmt.Errorf("points[%d]: speed %g, want more than 0; leave out amounts with which it cannot run", i, p.Speed)
		case i > 0 && !isBefore(c.Points[i-1], p):
			return fmt.Errorf("points[%d]: want them sorted by cpus, then mem_mb, each once", i)
		}
	}
	return nil
}

// isBefore reports whether a point comes before another.
func isBefore(a, b policy.CPUPoint) bool {
	return a.CPUs < b.CPUs || a.CPUs == b.CPUs && a.MemMB < b.MemMB
}
