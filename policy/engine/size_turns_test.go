package engine_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// sizeOf gives elastic jobs so many devices.
func sizeOf(devices int) stages {
	return stages{size: func(_ *engine.Round, line []*engine.Entry) ([]int, error) {
		want := make([]int, len(line))
		for i, e := range line {
			if want[i] = e.DeviceCount(); e.IsElastic() {
				want[i] = devices
			}
		}
		return want, nil
	}}
}

// minutesLeft predicts as long for every job that waits.
type minutesLeft time.Duration

func (m minutesLeft) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if e.HoldsGPUs() {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: time.Duration(m), TimeLeftSigma: time.Second}
}

// TestSizesDelayNobody: half of a node is taken for another hour, and a job of a fixed size waits for more of it. What
// is chosen for an elastic job behind must leave it that, also under a stage that lets any job pass.
func TestSizesDelayNobody(t *testing.T) {
	between := func(low, high int) func(*policy.Job) {
		return func(j *policy.Job) { j.MinGPUs, j.MaxGPUs = low, high }
	}
	half := func(waiting int, late ...func(*policy.Job)) *policy.Snapshot {
		return with(with(cluster(1), 4, running("n1", time.Hour, 2*time.Hour)), waiting, late...)
	}
	for name, c := range map[string]struct {
		s    *policy.Snapshot
		size int
		p    engine.Pipeline
		want string
	}{
		"no limit":             {with(half(8), 8, between(4, 8)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 hold"},
		"ends before":          {with(half(8), 8, between(4, 8), limit(time.Hour)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"predicted to end":     {with(half(8), 8, between(4, 8)), 4, engine.Pipeline{Predict: minutesLeft(30 * time.Minute)}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"not on half the GPUs": {with(half(8), 8, between(4, 8)), 4, engine.Pipeline{Predict: minutesLeft(40 * time.Minute)}, "1 keep n1:4×a100; 2 wait; 3 hold"},
		"as its owner asked":   {with(half(8), 4, between(4, 8)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"more than asked":      {with(half(6), 2, between(1, 4)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 start n1:2×a100"},
		"it has no hurry":      {with(half(8), 8, between(4, 8)), 4, engine.Pipeline{Rules: engine.Rules{MaxWait: -1}}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"it came later":        {with(half(8, waited(time.Minute)), 8, between(4, 8)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"it can never start":   {with(half(9), 8, between(4, 8)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		"growth":               {with(half(8), 2, between(1, 4), running("n1", time.Hour, 0)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 keep n1:2×a100"},
		"growth for nobody":    {with(half(9), 2, between(1, 4), running("n1", time.Hour, 0)), 4, engine.Pipeline{}, "1 keep n1:4×a100; 2 wait; 3 resize n1:4×a100"},
	} {
		c.p.Size, c.p.Backfill = sizeOf(c.size), backfill.Greedy{}
		if _, got := decide(t, c.p, c.s); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
