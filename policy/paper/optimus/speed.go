package optimus

import (
	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/policy/solve/nnls"
)

// minSamples is on how many sizes a job must have been measured before its speed is fitted; the
// paper's own least for training in step.
const minSamples = 5

// speeds returns how fast a job goes on a number of devices of a type, relative to what it asks:
// by the paper's fit of what it reported on enough sizes, else as its curve has it.
func speeds(j *policy.Job, gpuType string) func(count int) float64 {
	curve := scaling.New(j)
	at := func(n int) float64 { return curve.Speed(scaling.Size{Type: gpuType, Devices: n}) }
	if curve.Source() == policy.ScalingFromTable {
		return at
	}
	fit, ok := fitStepTime(j.Scaling, gpuType)
	asked := fit.seconds(j.Ask.GPUs.Count)
	base := at(j.Ask.GPUs.Count)
	if !ok || !(asked > 0) || !(base > 0) {
		return at
	}
	return func(n int) float64 { return base * asked / fit.seconds(n) }
}

// stepTime is the time of a step on w devices: divided/w + fixed + each*w.
type stepTime struct{ divided, fixed, each float64 }

func (s stepTime) seconds(devices int) float64 {
	return s.divided/float64(devices) + s.fixed + s.each*float64(devices)
}

// fitStepTime fits the time of a step to points of one batch size on enough numbers of devices;
// ok is false where there are too few. Points of all batch sizes count for the one they tell
// nothing else of.
func fitStepTime(s *policy.Scaling, gpuType string) (stepTime, bool) {
	if s == nil {
		return stepTime{}, false
	}
	var rows [][]float64
	var seconds []float64
	sizes := map[int]bool{}
	for _, p := range s.Points {
		if p.Type != "" && p.Type != gpuType || p.Devices <= 0 || !(p.StepsPerSecond > 0) || p.BatchSize != s.Points[0].BatchSize {
			continue
		}
		w := float64(p.Devices)
		rows = append(rows, []float64{p.StepsPerSecond / w, p.StepsPerSecond, p.StepsPerSecond * w}) // relative errors
		seconds = append(seconds, 1)
		sizes[p.Devices] = true
	}
	if len(sizes) < minSamples {
		return stepTime{}, false
	}
	x, _ := nnls.Solve(rows, seconds)
	return stepTime{x[0], x[1], x[2]}, x[0]+x[1]+x[2] > 0
}
