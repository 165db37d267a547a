package intake

import (
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/sim"
)

// sized is the one job of a snapshot: four A100 of 24, its comment as given, on what it asks.
func sized(t *testing.T, comment string, use *bridge.JobUse, past bridge.SpeedHistory) *policy.Job {
	t.Helper()
	w := world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", GPUsPerNode: 4, GPUType: "a100", TimeLimit: time.Hour, WorkTime: time.Hour, Comment: comment})
	if use != nil {
		w.Advance(w.Now().Add(2 * time.Minute))
	} else {
		use = &bridge.JobUse{}
	}
	in := Input{View: view(t, w), HasExpiryTimer: true, UseByJob: map[int64]bridge.JobUse{1: *use}, Past: &bridge.Past{SpeedsOf: func(*policy.Job) bridge.SpeedHistory { return past }}}
	return AssembleSnapshot(in, bridge.Partition{Name: "gpu", Mode: bridge.ModeElastic}).Job(1)
}

func reported(devices int, steps float64) bridge.SeenSpeed {
	return bridge.SeenSpeed{SpeedPoint: policy.SpeedPoint{Type: "a100", Devices: devices, StepsPerSecond: steps}, Count: 1}
}

// TestScalingSources: what is best known counts, and jobs of which nothing is known and whose size
// is not to change have none.
func TestScalingSources(t *testing.T) {
	now := &bridge.JobUse{Speed: new(bridge.SeenSpeed)}
	*now.Speed = reported(4, 10)
	class := []bridge.SeenSpeed{reported(1, 3), reported(8, 15)}
	eight := scaling.Size{Type: "a100", Devices: 8}
	for name, c := range map[string]struct {
		comment string
		use     *bridge.JobUse
		past    bridge.SpeedHistory
		source  policy.ScalingSource // "": none
		speed   float64              // on 8 GPUs, relative to the 4 it asks
	}{
		"rigid, unknown":                    {source: ""},
		"elastic, unknown":                  {comment: "fairbridge:max=8", source: policy.ScalingAssumed, speed: 8 / 1.35 / (4 / 1.15)},
		"one size of its own":               {use: now, source: policy.ScalingFromReports, speed: 8 / 1.35 / (4 / 1.15)},
		"two of its own, one remembered":    {use: now, past: bridge.SpeedHistory{Own: []bridge.SeenSpeed{reported(8, 14)}, Class: class}, source: policy.ScalingFromReports, speed: 1.4},
		"waiting, one of its own":           {past: bridge.SpeedHistory{Own: []bridge.SeenSpeed{reported(8, 14)}}, source: policy.ScalingFromReports, speed: 8 / 1.35 / (4 / 1.15)},
		"one of its own, more of its class": {use: now, past: bridge.SpeedHistory{Class: class}, source: policy.ScalingFromClass, speed: 15 / (3 + 12*3/7.)},
		"its class":                         {comment: "fairbridge:max=8", past: bridge.SpeedHistory{Class: class}, source: policy.ScalingFromClass, speed: 15 / (3 + 12*3/7.)},
	} {
		j := sized(t, c.comment, c.use, c.past)
		switch {
		case c.source == "":
			if j.Scaling != nil {
				t.Errorf("%s: %+v", name, j.Scaling)
			}
		case j.Scaling == nil || j.Scaling.Source != c.source || math.Abs(scaling.New(j).Speed(eight)-c.speed) > 1e-9:
			t.Errorf("%s: %+v, speed %g, want %s, %g", name, j.Scaling, scaling.New(j).Speed(eight), c.source, c.speed)
		}
	}
}

// TestBatchIsKept: what a job says of its batch sizes stays known when it waits.
func TestBatchIsKept(t *testing.T) {
	b := &policy.BatchRange{Initial: 64, Max: 512, LeastPerDevice: 8, MostPerDevice: 128}
	if j := sized(t, "fairbridge:min=1", nil, bridge.SpeedHistory{Batch: b}); j.Scaling == nil || j.Scaling.Batch != b {
		t.Errorf("%+v", j.Scaling)
	}
}

// TestRateIsOfTheAsk: a job reports its speed on what it holds, and policies read it as that on
// what it asks.
func TestRateIsOfTheAsk(t *testing.T) {
	j := &policy.Job{
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 8}},
		Training: &policy.Training{Steps: 100, Rates: []policy.Rate{{StepsPerSecond: 14}}},
		Scaling:  scaling.FromMeasured(policy.ScalingFromReports, []scaling.Measured{scaling.Measured(reported(4, 10)), scaling.Measured(reported(8, 14))}, 0),
	}
	given := j.Training
	rateOnAsk(j)
	if r := j.Training.Rates[0].StepsPerSecond; math.Abs(r-10) > 1e-9 || given.Rates[0].StepsPerSecond != 14 {
		t.Errorf("%g on what it asks, and the report is %g now", r, given.Rates[0].StepsPerSecond)
	}
}

// TestBadDeclarations: they are told and never fatal.
func TestBadDeclarations(t *testing.T) {
	for comment, want := range map[string]struct {
		low, high int
		says      []string
	}{
		"fairbridge:min=2,max=8":              {2, 8, nil},
		"fairbridge:min=2,max=99,types=h100":  {2, 8, []string{"max=99", "24 counts", `"h100"`, "no node has more than 8"}},
		"fairbridge:min=8,max=2,nonsense":     {0, 0, []string{"min=8 is above max=2", "nonsense"}},
		"fairbridge:min=5,max=8":              {0, 0, []string{"does not contain the 4 GPUs"}},
		"fairbridge:min=30,max=99":            {0, 0, []string{"does not contain"}},
		"fairbridge:types=a100":               {0, 0, nil},
		"fairbridge:nonsense,types=x,max=4":   {4, 4, []string{"nonsense", `"x"`}},
		"nothing of ours, min=3 and types=t4": {0, 0, nil},
	} {
		j := sized(t, comment, nil, bridge.SpeedHistory{})
		if j.MinGPUs != want.low || j.MaxGPUs != want.high || len(j.GPUTypes) > 0 || (j.IgnoredReason == "") != (want.says == nil) {
			t.Errorf("%s: %d to %d, types %v, %q", comment, j.MinGPUs, j.MaxGPUs, j.GPUTypes, j.IgnoredReason)
		}
		for _, s := range want.says {
			if !strings.Contains(j.IgnoredReason, s) {
				t.Errorf("%s: %q does not say %q", comment, j.IgnoredReason, s)
			}
		}
	}
}
