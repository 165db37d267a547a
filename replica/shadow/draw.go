package shadow

import (
	"math"
	"math/rand/v2"

	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/workload"
)

// drawRunTimes gives jobs that have not ended a run time of those that are predicted of them,
// other ones with each seed: a policy that makes jobs wait leaves many of them, and one value for each,
// the median, is too little altogether where few run for long, and hides that nobody knows it.
func drawRunTimes(jobs []workload.Job, unended map[int64]replay.UnendedJob, seed int64) {
	for i := range jobs {
		if u, ok := unended[jobs[i].ID]; ok {
			jobs[i].Duration = u.Ran + drawLeft(u, rand.New(rand.NewPCG(uint64(seed), uint64(jobs[i].ID))).NormFloat64())
		}
	}
}

// drawLeft is log-normal, by its median and what one standard deviation above it is.
func drawLeft(u replay.UnendedJob, deviations float64) float64 {
	if u.UpperLeft <= u.Left || u.Left <= 0 {
		return u.Left
	}
	left := u.Left * math.Pow(u.UpperLeft/u.Left, deviations)
	if u.MostLeft > 0 {
		left = min(left, u.MostLeft)
	}
	return max(left, 1)
}

// restoreRunTimes lets the jobs of a run have the run times of the scenario again, with the waits
// of the run: a slowdown is of the same run time, however it was simulated.
func restoreRunTimes(r *measure.Run, unended map[int64]replay.UnendedJob) {
	for i := range r.JobOutcomes {
		o := &r.JobOutcomes[i]
		if u, ok := unended[o.ID]; ok {
			o.Finish += u.Ran + u.Left - o.ExclusiveRunSeconds
			o.ExclusiveRunSeconds = u.Ran + u.Left
		}
	}
}
