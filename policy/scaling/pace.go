package scaling

import (
	"time"

	"fairbridge/policy"
)

// Pace is how fast a job goes on a size, relative to the size that times left are told on (Job.PredictedLeft,
// engine.TimeLeftEstimate): as many GPUs as the job asks for, of the type that it holds or, while it waits, asks for.
type Pace struct {
	Speed         float64 // 1 on the size that times left are told on
	RelativeSigma float64 // its relative standard error; 0 on that size
}

// PaceOn returns how fast a job would go on a size. Of a job whose size is its owner's alone and of
// which nothing was measured, the number of devices says nothing: some sites give whole nodes to a job
// that asks for a part.
func PaceOn(j *policy.Job, s Size) Pace {
	c, told := New(j), toldSize(j, s)
	if s.Type == "" {
		s.Type = told.Type
	}
	if s == told || j.MinGPUs < 1 && j.Scaling == nil {
		return Pace{Speed: 1}
	}
	at, base := c.Speed(s), c.Speed(told)
	if at <= 0 || base <= 0 {
		return Pace{Speed: 1}
	}
	return Pace{at / base, c.scaling.RelativeSigma}
}

// HeldPace returns how fast a job goes on what it holds; 1 while it waits.
func HeldPace(j *policy.Job) Pace {
	if len(j.On) == 0 {
		return Pace{Speed: 1}
	}
	return PaceOn(j, Size{Type: j.On.FirstType(), Devices: j.On.Count()})
}

// toldSize is the size that times left are told on.
func toldSize(j *policy.Job, s Size) Size {
	told := New(j).Asked()
	switch {
	case len(j.On) > 0:
		told.Type = j.On.FirstType()
	case told.Type == "":
		told.Type = s.Type
	}
	told.Nodes = s.Nodes
	return told
}

// WallTime turns time that is left as times left are told into time on the size.
func (p Pace) WallTime(left time.Duration) time.Duration {
	if p.Speed == 1 || p.Speed <= 0 {
		return left
	}
	return policy.DurationFromSeconds(left.Seconds() / p.Speed)
}
