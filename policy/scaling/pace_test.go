package scaling_test

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// TestPace: what is left of a job that asks for 4 takes longer on 2 and less time on 8, and as long where
// nothing is known of sizes.
func TestPace(t *testing.T) {
	table := &policy.Scaling{Source: policy.ScalingFromTable, RelativeSigma: .1, Points: []policy.SpeedPoint{
		{Type: "a100", Devices: 2, StepsPerSecond: 5}, {Type: "a100", Devices: 4, StepsPerSecond: 8}, {Type: "v100", Devices: 4, StepsPerSecond: 2},
	}}
	a100 := func(n int) scaling.Size { return scaling.Size{Type: "a100", Devices: n} }
	for name, c := range map[string]struct {
		change func(*policy.Job)
		on     scaling.Size
		want   float64
		sigma  float64
	}{
		"as asked":                    {func(*policy.Job) {}, a100(4), 1, 0},
		"fewer, assumed":              {func(*policy.Job) {}, a100(2), (2 / 1.05) / (4 / 1.15), 0},
		"more, assumed":               {func(*policy.Job) {}, a100(8), (8 / 1.35) / (4 / 1.15), 0},
		"fewer, measured":             {func(j *policy.Job) { j.Scaling = table }, a100(2), 5. / 8, .1},
		"another type, measured":      {func(j *policy.Job) { j.Scaling = table }, scaling.Size{Type: "v100", Devices: 4}, 2. / 8, .1},
		"any type, named by the plan": {func(j *policy.Job) { j.Scaling, j.Ask.GPUs.Type = table, "" }, scaling.Size{Type: "v100", Devices: 4}, 1, 0},
		"held, of the type held": {func(j *policy.Job) {
			j.Scaling, j.On = table, policy.Alloc{{Node: "n1", Type: "v100", Count: 4}}
		}, scaling.Size{Type: "v100", Devices: 4}, 1, 0},
		"rigid, on a whole node": {func(j *policy.Job) { j.MinGPUs, j.MaxGPUs = 0, 0 }, a100(8), 1, 0},
		"nowhere":                {func(*policy.Job) {}, a100(0), 1, 0},
	} {
		j := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}, MinGPUs: 2, MaxGPUs: 8}
		c.change(&j)
		got := scaling.PaceOn(&j, c.on)
		if math.Abs(got.Speed-c.want) > 1e-9 || got.RelativeSigma != c.sigma {
			t.Errorf("%s: %+v, want %g, %g", name, got, c.want, c.sigma)
		}
		if wall := got.WallTime(time.Hour); math.Abs(wall.Hours()-1/c.want) > 1e-6 {
			t.Errorf("%s: an hour takes %v", name, wall)
		}
	}
}

// TestHeldPace: a job that waits has the pace of what it asks.
func TestHeldPace(t *testing.T) {
	j := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 4}}, MinGPUs: 2, MaxGPUs: 8, Scaling: scaling.Assumed()}
	if p := scaling.HeldPace(&j); p.Speed != 1 || p.RelativeSigma != 0 {
		t.Errorf("it waits: %+v", p)
	}
	j.On = policy.Alloc{{Node: "n1", Type: "a100", Count: 2}}
	if p := scaling.HeldPace(&j); math.Abs(p.Speed-.5476) > 1e-3 || p.RelativeSigma != .5 {
		t.Errorf("it holds half: %+v", p)
	}
}
