package goodput_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/goodput"
)

// TestCompared: a job tells nothing before its first step, and begins small; what it measures on
// one type holds for the other in proportion to one device, until it runs there.
func TestCompared(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: twoTypes(t), BatchSize: 200}, goodput.Compared)
	v := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, MinGPUs: 1, MaxGPUs: 1}
	r.Introduce(&v, []goodput.GPUType{{Name: "fast", Devices: 16, PerNode: 4}, {Name: "slow", Devices: 16, PerNode: 4}})
	curve := func() scaling.Curve { return scaling.New(&v) }
	if n := len(v.Scaling.StepTimes) + len(v.Training.Rates); n != 0 || curve().MostDevices() != 1 || v.Scaling.Batch.Max != 200 {
		t.Fatalf("%d speeds known, up to %d devices, batches up to %d; want 0, 1 and its owner's 200", n, curve().MostDevices(), v.Scaling.Batch.Max)
	}
	ratio := func(devices int) float64 {
		return curve().Goodput(scaling.Size{Type: "fast", Devices: devices, Nodes: 1}) / curve().Goodput(scaling.Size{Type: "slow", Devices: devices, Nodes: 1})
	}
	run := func(typ string, devices int) {
		if !r.Place(policy.Alloc{{Node: "n", Type: typ, Count: devices}}) {
			t.Fatalf("cannot run on %d %s", devices, typ)
		}
		r.Advance(10)
		r.Report(&v)
	}
	run("slow", 2)
	slowOne, fastOne := twoTypes(t).StepSeconds(policy.Alloc{{Node: "n", Type: "slow", Count: 1}}, scaling.Batch{PerDevice: 100}), .25
	want := 400 / fastOne / (100 / slowOne)
	if one, four := ratio(1), ratio(4); math.Abs(one-want) > 1e-9 || math.Abs(four-want) > 1e-9 || curve().MostDevices() != 4 || len(v.Training.Rates) != 2 {
		t.Errorf("fast is %g times as fast as slow on one device and %g on four, up to %d next, rates %v; want %g, the same, 4, and two", one, four, curve().MostDevices(), v.Training.Rates, want)
	}
	run("fast", 2)
	if after := ratio(4); math.Abs(after-want) < 1e-9 {
		t.Errorf("fast is still %g times as fast on four devices after it ran there", after)
	}
}

// TestBatchBeforeTheFirstStep: a job begins on a type with its initial batch size, and adapts it
// after its first interval there.
func TestBatchBeforeTheFirstStep(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: twoTypes(t), BatchSize: 200}, goodput.Compared)
	v := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, MinGPUs: 1, MaxGPUs: 1}
	r.Introduce(&v, []goodput.GPUType{{Name: "fast", Devices: 16, PerNode: 4}, {Name: "slow", Devices: 16, PerNode: 4}})
	initial := twoTypes(t).InitialBatch
	for _, typ := range []string{"slow", "fast"} {
		r.Place(policy.Alloc{{Node: "n", Type: typ, Count: 4}})
		if r.Report(&v); v.Training.BatchSize != initial {
			t.Errorf("begins on %s with a batch of %d, want the initial %d", typ, v.Training.BatchSize, initial)
		}
		r.Advance(1)
		if r.Report(&v); v.Training.BatchSize <= initial {
			t.Errorf("after an interval on %s its batch is still %d", typ, v.Training.BatchSize)
		}
	}
}
