package scaling_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// example are the parameters of a job that gains by four GPUs of a node and loses on eight of
// two.
var example = policy.StepTime{GradAlpha: .05, GradBeta: .001, LocalAlpha: .02, LocalBeta: .005, NetAlpha: .08, NetBeta: .01, Gamma: 1.5}

// noisy is a batch range whose noise scale is 512 at the initial batch of 128.
func noisy(change func(*policy.BatchRange)) *policy.Job {
	b := &policy.BatchRange{Initial: 128, Max: 128, LeastPerDevice: 1, MostPerDevice: 128, GradSqr: 1, GradVar: 4}
	change(b)
	return &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Scaling: &policy.Scaling{StepTimes: []policy.StepTime{example}, Batch: b}}
}

// TestGoodput has the examples of the notes on Pollux, in samples of the initial batch a second.
func TestGoodput(t *testing.T) {
	for _, c := range []struct {
		nodes, devices, global int
		want                   float64
	}{{1, 1, 128, 719.1}, {1, 4, 256, 2063.8 * .8333}, {2, 8, 1024, 1684.4}} {
		j := noisy(func(b *policy.BatchRange) { b.FixedSize, b.Max = c.global, c.global })
		batch, goodput := scaling.New(j).BestBatch(scaling.Size{Devices: c.devices, Nodes: c.nodes})
		if batch.Global != c.global || batch.PerDevice != c.global/c.devices || batch.AccumulationSteps != 0 || math.Abs(goodput*128-c.want) > .2 {
			t.Errorf("%+v: %+v, %g samples a second", c, batch, goodput*128)
		}
	}
}

func TestEfficiency(t *testing.T) {
	// A step that takes a second whatever the batch: goodput is the gain, scale times the efficiency.
	for global, want := range map[int]float64{128: 1, 256: .8333, 512: .625, 1024: .4167} {
		j := noisy(func(b *policy.BatchRange) { b.FixedSize, b.Max, b.MostPerDevice = global, global, global })
		j.Scaling.StepTimes = []policy.StepTime{{GradAlpha: 1, Gamma: 1}}
		got := scaling.New(j).Goodput(scaling.Size{Devices: 2}) * 128 / float64(global)
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("batch %d: efficiency %g, want %g", global, got, want)
		}
	}
}

// TestBestBatchIsBest compares with every batch size there is.
func TestBestBatchIsBest(t *testing.T) {
	for _, devices := range []int{1, 2, 3, 4, 8} {
		size := scaling.Size{Devices: devices, Nodes: (devices + 3) / 4}
		batch, got := scaling.New(noisy(func(b *policy.BatchRange) { b.Max = 4096 })).BestBatch(size)
		best := 0.
		for global := 128; global <= 4096; global++ {
			best = max(best, scaling.New(noisy(func(b *policy.BatchRange) { b.FixedSize, b.Max = global, 4096 })).Goodput(size))
		}
		if got < .995*best || batch.Global != devices*batch.PerDevice*(batch.AccumulationSteps+1) || batch.Global > 4096 || batch.PerDevice > 128 {
			t.Errorf("%d devices: %+v gives %g of %g", devices, batch, got, best)
		}
		if devices == 1 && batch.Global > 128 && batch.AccumulationSteps == 0 {
			t.Errorf("one device takes %+v in one pass", batch)
		}
	}
}

func TestNoBatchFits(t *testing.T) {
	j := noisy(func(b *policy.BatchRange) { b.Max, b.LeastPerDevice = 256, 64 })
	if b, goodput := scaling.New(j).BestBatch(scaling.Size{Devices: 5}); goodput != 0 || b != (scaling.Batch{}) {
		t.Errorf("5 devices: %+v, %g", b, goodput)
	}
	if speed := scaling.New(j).Speed(scaling.Size{Devices: 4}); speed <= 1 {
		t.Errorf("4 devices: %g times as fast as one", speed)
	}
}

// TestStepTimesWithoutBatch: a fixed batch is divided among the devices.
func TestStepTimesWithoutBatch(t *testing.T) {
	j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}, Scaling: &policy.Scaling{StepTimes: []policy.StepTime{{GradBeta: 1, LocalAlpha: .25, Gamma: 1}}}}
	if got, want := scaling.New(j).Speed(scaling.Size{Devices: 4}), 1.25/.75; math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
}

// TestStepsPerSecondOfTimes: without a report of its speed a job's goodput is it.
func TestStepsPerSecondOfTimes(t *testing.T) {
	j := noisy(func(*policy.BatchRange) {})
	if got, ok := scaling.New(j).StepsPerSecond(scaling.Size{Devices: 1}); !ok || math.Abs(got-1/.178) > 1e-9 {
		t.Errorf("%g, %v, want %g", got, ok, 1/.178)
	}
}

func TestMostDevices(t *testing.T) {
	for name, c := range map[string]struct {
		source policy.ScalingSource
		seen   int
		change func(*policy.BatchRange)
		want   int
	}{
		"never ran":              {policy.ScalingFromReports, 0, func(*policy.BatchRange) {}, 2},
		"nothing is known":       {policy.ScalingAssumed, 0, func(*policy.BatchRange) {}, 4},
		"ran on three":           {policy.ScalingFromReports, 3, func(*policy.BatchRange) {}, 6},
		"ran on many":            {policy.ScalingFromReports, 16, func(*policy.BatchRange) {}, 20},
		"a table tells it":       {policy.ScalingFromTable, 0, func(*policy.BatchRange) {}, 20},
		"its batch has an end":   {policy.ScalingFromTable, 0, func(b *policy.BatchRange) { b.LeastPerDevice = 16 }, 8},
		"it needs more than all": {policy.ScalingFromTable, 0, func(b *policy.BatchRange) { b.LeastPerDevice = 128 }, 2},
	} {
		j := noisy(c.change)
		j.Ask.GPUs.Count = 4
		j.MinGPUs, j.MaxGPUs, j.Scaling.Source, j.Scaling.MaxSeenDevices = 2, 20, c.source, c.seen
		if got := scaling.New(j).MostDevices(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
