package exact

import "math"

// ask notes the batch size the job wants, from the epochs it has completed.
func (j *job) ask() {
	if j.Training == nil || j.Training.Mode == "" {
		return
	}
	per := float64(j.Training.EpochSteps(j.batch))
	if per > 0 {
		j.asked = j.Training.Next(int(math.Ceil(j.done/per)), j.batch, j.GPUs)
	}
}

// adapt gives the job the batch size it asked for. The number of epochs stays:
// those begun count as completed. Without a speed at that size nothing changes.
// It reports whether the job's speeds changed.
func (e *engine) adapt(j *job) bool {
	if j.asked == j.batch {
		return false
	}
	old, next := float64(j.Training.EpochSteps(j.batch)), float64(j.Training.EpochSteps(j.asked))
	if !e.setRates(j, j.asked) {
		j.asked = j.batch
		return false
	}
	begun := math.Ceil(j.done / old)
	epochs := math.Ceil(j.units / old)
	j.units = resteps(j.units, j.batch, j.asked, epochs, next)
	j.done = begun * next
	j.batch = j.asked
	e.regime(j, begun)
	return true
}

// resteps returns the steps in all after a change of the batch size: in
// proportion if that leaves the number of epochs as it is, else whole epochs.
func resteps(steps float64, old, batch int, epochs, per float64) float64 {
	if n := math.Ceil(steps * float64(old) / float64(batch)); math.Ceil(n/per) == epochs {
		return n
	}
	return epochs * per
}
