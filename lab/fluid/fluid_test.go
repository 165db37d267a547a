package fluid_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/fluid"
	"fairbridge/policy"
	"fairbridge/policy/paper/fifo"
	"fairbridge/policy/paper/sjf"
	"fairbridge/policy/solve/queues"
	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
)

// app is a job that can use up to so many GPUs, in proportion.
func app(id int64, arrive float64, most int, service float64) workload.Job {
	return workload.Job{ID: id, Arrive: arrive, GPUs: 1, MinGPUs: 1, MaxGPUs: most, Duration: service, Scaling: &policy.Scaling{}}
}

// TestThreeApps holds each rule against an example worked out by hand: three jobs on 64 GPUs,
// the last the smallest. Of each: when it ended, and when it was said to as it arrived.
func TestThreeApps(t *testing.T) {
	jobs := []workload.Job{app(1, 0, 64, 64000), app(2, 100, 32, 32000), app(3, 200, 16, 1600)}
	for name, c := range map[string]struct {
		rule fluid.Rule
		want string
	}{
		"fifo":   {fluid.FIFO(), "1000/1000 2000/2000 1100/1100"},
		"srsf":   {fluid.SRSF(), "1525/1000 1100/1100 300/300"},
		"themis": {fluid.Themis(), "1525/1000 1200/2000 900/1300"},
		"afs":    {fluid.AFS(), "1525/1000 1125/1100 300/300"},
		"pcs":    {fluid.PCS([]float64{10000}, queues.Settings{Rates: []float64{3, 1}}), "1025/1000 2025/2000 300/300"},
	} {
		told := 0
		run, err := fluid.Run(fluid.Config{GPUs: 64, Jobs: jobs, Rule: c.rule, ReportProgress: func(done, _ int) { told = done }})
		if err != nil || told != 3 {
			t.Fatal(name, told, err)
		}
		got := make([]string, 3)
		for _, o := range run.JobOutcomes {
			got[o.ID-1] = fmt.Sprintf("%.0f/%.0f", o.Finish, o.PredictedFinish)
			if o.Start < o.Arrive || math.Abs(o.Service-jobs[o.ID-1].Duration) > 1e-3 {
				t.Errorf("%s: started at %g with %g GPU-seconds: %+v", name, o.Start, o.Service, o)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestSpeedsOfCurves: a job whose second GPU is worth a half ends on two in two thirds of the
// time, and its time is that on what it asks.
func TestSpeedsOfCurves(t *testing.T) {
	curve := &policy.Scaling{Points: []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 2}, {Devices: 2, StepsPerSecond: 3}}}
	run, err := fluid.Run(fluid.Config{GPUs: 4, Rule: fluid.FIFO(), Jobs: []workload.Job{{ID: 1, GPUs: 1, MinGPUs: 1, MaxGPUs: 2, Duration: 300, Scaling: curve}}})
	if err != nil || math.Abs(run.JobOutcomes[0].Finish-200) > 1e-5 {
		t.Errorf("%+v, %v", run, err)
	}
	run, err = fluid.Run(fluid.Config{GPUs: 1, Rule: fluid.FIFO(), Jobs: []workload.Job{{ID: 1, GPUs: 2, Duration: 300, Scaling: curve}}})
	if err != nil || math.Abs(run.JobOutcomes[0].Finish-450) > 1e-5 {
		t.Errorf("on half of what it asks: %+v, %v", run, err)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]fluid.Config{
		"no rule": {GPUs: 4},
		"no GPUs": {Rule: fluid.FIFO()},
		"no time": {GPUs: 4, Rule: fluid.FIFO(), Jobs: []workload.Job{{ID: 1, GPUs: 1}}},
	} {
		if _, err := fluid.Run(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	nodes := []policy.Node{{Name: "n1", GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}}
	if _, err := fluid.Simulate(exact.Config{Policy: new(sjf.Policy), Nodes: nodes}); !errors.Is(err, fluid.ErrNotDivisible) {
		t.Errorf("a policy of whole GPUs: %v", err)
	}
	profiled := workload.Job{ID: 1, GPUs: 1, Duration: 1, Goodput: &goodput.Job{Application: &goodput.Application{}}}
	if _, err := fluid.Simulate(exact.Config{Policy: new(fifo.Policy), Nodes: nodes, Jobs: []workload.Job{profiled}}); err == nil || !strings.Contains(err.Error(), "--clock pollux or sia") {
		t.Errorf("a job with a profile: %v", err)
	}
	run, err := fluid.Simulate(exact.Config{Policy: new(fifo.Policy), Nodes: nodes, Jobs: []workload.Job{app(1, 0, 8, 400)}})
	if err != nil || run.JobOutcomes[0].Finish != 100 || run.ClusterGPUs != 4 {
		t.Errorf("%+v, %v", run, err)
	}
}
