package workload

import (
	"math"
	"math/rand/v2"
	"time"
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
