package goodput_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/replica/goodput"
)

var types = []goodput.GPUType{{Name: "t4", Devices: 16, PerNode: 4}}

// TestRun: two epochs of 1,100 and 1,000 steps of the initial batch at .2 s each end after
// whole seconds, and a batch four times as large on four devices is worth what it gains.
func TestRun(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: made(t, nil), BatchSize: 100}, goodput.Oracle)
	if !r.Place(on(1)) {
		t.Fatal("it cannot run")
	}
	if used, complete := r.Advance(100); used != 100 || complete {
		t.Errorf("%g s, complete %v", used, complete)
	}
	if done, of := r.Done(); !near(done, 500) || of != 2100 {
		t.Errorf("%g of %g steps", done, of)
	}
	if used, complete := r.Advance(1000); used != 320 || !complete {
		t.Errorf("ended after %g s (%v), want 320", used, complete)
	}
	wide := goodput.NewRun(goodput.Job{Application: made(t, nil), BatchSize: 400}, goodput.Oracle)
	if wide.Place(on(4)); !near(wide.Goodput(), 2/1.25/.21) {
		t.Errorf("goodput %g, want %g", wide.Goodput(), 2/1.25/.21)
	}
	if want, got := (1100*1.25/2+1000*(3./4+1)/4)*.21, (goodput.Job{Application: made(t, nil), BatchSize: 400}).ExclusiveSeconds("t4", 4, 4); !near(got, want) {
		t.Errorf("alone %g s, want %g", got, want)
	}
}

// TestBatchDivision: what a device cannot hold is accumulated, and one device alone accumulates
// whatever is more than the initial batch.
func TestBatchDivision(t *testing.T) {
	a := made(t, nil)
	for _, c := range []struct {
		batch, devices int
		goodput        float64 // gain over the time of the step
	}{
		{400, 4, 2 / 1.25 / .21}, {400, 2, 2 / 1.25 / (.21 + .2)}, {100, 1, 1 / .2},
		{150, 1, 2 / (1/1.5 + 1) / (.175 * 2)}, // two of 75
		{800, 1, 2 / (1./8 + 1) / (.2 * 8)},
	} {
		r := goodput.NewRun(goodput.Job{Application: a, BatchSize: c.batch}, goodput.Oracle)
		if r.Place(on(c.devices)); !near(r.Goodput(), c.goodput) {
			t.Errorf("a batch of %d on %d devices: %g a second, want %g", c.batch, c.devices, r.Goodput(), c.goodput)
		}
	}
}

// TestOracleTells: the true time of a step of its own batch on every number of devices that the
// batch can be divided among.
func TestOracleTells(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: made(t, nil), BatchSize: 100}, goodput.Oracle)
	v := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}, MinGPUs: 1, MaxGPUs: 2}
	r.Introduce(&v, types)
	if v.MinGPUs != 1 || v.MaxGPUs != 10 || len(v.Scaling.Points) != 10 || v.Scaling.Source != policy.ScalingFromTable || v.Scaling.Batch.FixedSize != 100 {
		t.Fatalf("%+v, scaling %+v", v, v.Scaling)
	}
	for i, seconds := range []float64{.15 * 2, .16, 0, .1 + .025 + .01} { // one device takes two goes of 50
		if p := v.Scaling.Points[i]; p.Devices != i+1 || p.Type != "t4" || seconds > 0 && !near(p.StepsPerSecond, 1/seconds) {
			t.Errorf("%+v, want a step of %g s on %d", p, seconds, i+1)
		}
	}
	if rate, ok := v.Training.Rate("t4"); !ok || !near(rate, 1/.16) || v.Training.Steps != 2000 || v.Training.StepsDone != 1000 {
		t.Errorf("%g steps a second, %g of %g done", rate, v.Training.StepsDone, v.Training.Steps)
	}
	r.Place(on(2))
	r.Advance(177)
	if r.Report(&v); v.Training.Steps-v.Training.StepsDone != 1 || v.Training.EpochsDone != 1 {
		t.Errorf("%+v, want 1 step left in the last epoch", v.Training)
	}
}

// TestMeasuredTells: nothing before the first step, then what it measured where it ran.
func TestMeasuredTells(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: made(t, nil), BatchSize: 400}, goodput.Measured)
	v := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}, MinGPUs: 1, MaxGPUs: 2}
	r.Introduce(&v, types)
	if s := v.Scaling; v.MaxGPUs != 16 || len(s.Points)+len(s.StepTimes) != 0 || s.MaxSeenDevices != 0 || s.Batch.GradVar != 0 || len(v.Training.Rates) != 0 {
		t.Fatalf("a new job of at most %d GPUs tells %+v, %+v", v.MaxGPUs, s, v.Training)
	}
	r.Place(on(2))
	r.Advance(10)
	r.Report(&v)
	s := v.Scaling
	if len(s.Points) != 1 || s.Points[0].Devices != 2 || s.Points[0].BatchSize != 100 || !near(s.Points[0].StepsPerSecond, 1/.16) {
		t.Errorf("it began with its initial batch on 2 devices, and tells %+v", s.Points)
	}
	if s.MaxSeenDevices != 2 || s.Batch.GradSqr != 1 || s.Batch.GradVar != 1 || s.Batch.FixedSize != 0 || len(s.StepTimes) != 1 || s.StepTimes[0].Type != "t4" {
		t.Errorf("%+v, batch %+v", s, s.Batch)
	}
	if rate, ok := v.Training.Rate("t4"); !ok || !(rate > 0) || v.Training.Steps != 2100 || !near(v.Training.StepsDone, 10/.16) {
		t.Errorf("%+v", v.Training)
	}
	before := r.Goodput()
	if r.Place(on(2)); r.Goodput() < before {
		t.Errorf("it adapted its batch to a goodput of %g from %g", r.Goodput(), before)
	}
}
