package packs

import "math"

// stepSeconds is how long a step of a running job takes: a guaranteed one is not slowed, an
// opportunistic one waits for the slowest guaranteed job on its GPUs.
func (r *antman) stepSeconds(j *Job) float64 {
	step := j.StepSeconds
	if !j.isOpportunistic() {
		return step
	}
	for _, d := range r.held[j] {
		if c := d.guaranteed; c != nil && r.running[c] {
			step = max(step, stepsBeside(stagesOf(j), stagesOf(c))*c.StepSeconds)
		}
	}
	return step
}

// stagesOf are the seconds that a step needs each kind of resource for; of a job that tells none, as if it
// needed the GPU all the time.
func stagesOf(j *Job) [3]float64 {
	stages := [3]float64{1: j.StepSeconds}
	if j.Sharing != nil && len(j.Sharing.StageSeconds) == len(stages) {
		copy(stages[:], j.Sharing.StageSeconds)
	}
	return stages
}

// stepsBeside is how many steps of a guaranteed job, with stages b, pass while an opportunistic one
// makes one, with stages a: each of its stages runs while the other is in another one.
func stepsBeside(a, b [3]float64) float64 {
	n := 0.0
	period := b[1] + b[2]
	whole, rest := timesWithin(a[0], period)
	if n += whole; rest > 0 {
		n++
		a[1] -= min(a[1], b[2], period-rest)
	}
	period = b[0] + b[2]
	whole, rest = timesWithin(a[1], period)
	if n += whole; rest > 0 {
		n++
		if rest < b[0] {
			a[2] -= min(a[2], b[0]+b[1]-rest)
		}
	}
	whole, rest = timesWithin(a[2], b[0]+b[1])
	if n += whole; rest > b[0] {
		n++
	}
	return n
}

// timesWithin is how many whole periods a length has, and what remains.
func timesWithin(length, period float64) (whole, rest float64) {
	if period <= 0 {
		return 0, length
	}
	return math.Floor(length / period), math.Mod(length, period)
}
