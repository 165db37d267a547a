package mlfs

import (
	"time"

	"fairbridge/policy"
)

// gainOfNext is how much accuracy the next iteration of a job is thought to bring, 0 to 1: one over how many it
// has gone through, times the part of its whole fall that its loss fell in the last. Where it reports no losses,
// one over the epochs it counts, or over how often it has run as long as half of the finished jobs, the median.
func gainOfNext(j *policy.Job, median time.Duration) float64 {
	if t := j.Training; t != nil && len(t.Losses) > 1 {
		n := len(t.Losses)
		return partOfFall(t.Losses, n-2) / float64(n-1)
	} else if t != nil && t.Epochs > 0 {
		return 1 / float64(t.EpochsDone+1)
	}
	return 1 / (1 + j.TotalRunTime().Seconds()/median.Seconds())
}

// partOfFall is how far losses fell from a report on, as a part of their whole fall; 1 where they did not fall.
func partOfFall(losses []policy.LossPoint, from int) float64 {
	last := losses[len(losses)-1].Loss
	whole, part := losses[0].Loss-last, losses[from].Loss-last
	if whole <= 0 {
		return 1
	}
	return min(max(part/whole, 0), 1)
}
