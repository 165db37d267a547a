package golden

import (
	"fmt"
	"math"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/experiment"
	"fairbridge/replica/cluster"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// siaGavelRun runs it by the clock of Sia, in its rounds; jobs keep their sizes and batches.
func siaGavelRun(t *testing.T, jobs []workload.Job, spec string, types ...string) *measure.Run {
	t.Helper()
	nodes, err := cluster.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := experiment.NewClock("sia", siaGavelRound*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	clock.FreeMoves = true
	run, err := experiment.SimulatorOf("sia")(exact.Config{Policy: &siaGavel{types: types}, Nodes: nodes, Jobs: jobs, Clock: clock, Information: goodput.Oracle, OmitsReasons: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSiaGavel holds means over all workloads of a set against what was published: for the ten of
// Saturn those of the log that stands in the README of the artifact, 2.548 h to completion, 43.25 h
// in all and 7.41 restarts a job; for the eight of Philly those of the paper, which gives tenths of
// hours, 1.9 and 33.8. A re-run of the first workloads with a solver that ends at a vertex, where
// jobs that are alike have unequal fractions, gave less: 4,959.0 and 5,691.8 s.
func TestSiaGavel(t *testing.T) {
	for _, c := range []struct {
		set                       string
		workloads                 int
		hours, makespan, restarts float64
		within                    float64 // hours to completion
	}{{"saturn", 10, 2.54824, 43.25153, 7.408, .02 * 2.54824}, {"philly", 8, 1.9, 33.8, 0, .05}} {
		hours, makespan, restarts := 0.0, 0.0, 0.0
		for n := 1; n <= c.workloads; n++ {
			s := siaGavelRun(t, siaJobs(t, c.set, n), siaCluster, "aws", "dgx-ext", "rtx").Summarize()
			hours += s.AvgJCT / 3600 / float64(c.workloads)
			makespan += s.Makespan / 3600 / float64(c.workloads)
			restarts += float64(s.RestartCount) / float64(s.JobCount*c.workloads)
		}
		t.Logf("%s: %.3f h to completion, %.2f h in all, %.2f restarts a job; published %.3f, %.2f and %.2f (0: not said)", c.set, hours, makespan, restarts, c.hours, c.makespan, c.restarts)
		if math.Abs(hours-c.hours) > c.within || math.Abs(makespan/c.makespan-1) > .02 {
			t.Errorf("%s: %.3f h to completion and %.2f h in all, published %.3f and %.2f", c.set, hours, makespan, c.hours, c.makespan)
		}
		if c.restarts > 0 && math.Abs(restarts/c.restarts-1) > .05 {
			t.Errorf("%s: %.2f restarts a job, published %.2f", c.set, restarts, c.restarts)
		}
	}
}

// TestOwnSiaGavel is the same on jobs of our own, to the digit: 12 of two, three and four GPUs on 16
// of two types.
func TestOwnSiaGavel(t *testing.T) {
	kinds := []*goodput.Application{ownSiaProfile(t, "cifar10", 6, 8), ownSiaProfile(t, "bert", 20, 2)}
	var jobs []workload.Job
	for i := range 12 {
		a := kinds[i*i%5%2]
		jobs = append(jobs, workload.Job{ID: int64(i + 1), Arrive: float64(i * 225), GPUs: 2 + i%3, Class: a.Name, Goodput: &goodput.Job{Application: a, BatchSize: 256}})
	}
	s := siaGavelRun(t, jobs, "2x4:a,2x4:b", "a", "b").Summarize()
	if got := fmt.Sprintf("mean %.3f s, makespan %.3f s, %d restarts", s.AvgJCT, s.Makespan, s.RestartCount); got != ownSiaGavelDigits {
		t.Errorf("%s, want %s", got, ownSiaGavelDigits)
	}
}

const ownSiaGavelDigits = "mean 610.250 s, makespan 3124.000 s, 7 restarts"
