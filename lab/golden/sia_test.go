package golden

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/experiment"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// siaRestarts is what Sia's policy takes restarts to cost, by kind of job, in seconds; what its
// simulator takes from jobs differs.
const siaRestarts = "cifar10:30;yolov3:45;bert:120;imagenet:250;deepspeech2:25;ncf:30"

// siaCluster is Sia's.
const siaCluster = "6x4:aws,2x8:dgx-ext,3x8:rtx"

// siaJobs reads a workload published with Sia.
func siaJobs(t *testing.T, set string, number int) []workload.Job {
	t.Helper()
	path := here(t, fmt.Sprintf("../sia/workloads/%s/workload-%d.csv", set, number))
	tr, err := trace.ReadFile(path, trace.ReadOptions{ProfilesPath: here(t, "../sia/profiles")})
	if err != nil {
		t.Fatal(err)
	}
	return tr.Jobs
}

// siaRun runs a policy by the clock of Sia; jobs tell what they do in its simulator.
func siaRun(t *testing.T, p policy.Policy, jobs []workload.Job, spec string) *measure.Run {
	t.Helper()
	return siaRunTelling(t, p, jobs, spec, goodput.Compared)
}

func siaRunTelling(t *testing.T, p policy.Policy, jobs []workload.Job, spec string, what goodput.Information) *measure.Run {
	t.Helper()
	nodes, err := cluster.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := experiment.NewClock("sia", 0)
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.SimulatorOf("sia")(exact.Config{Policy: p, Nodes: nodes, Jobs: jobs, Clock: clock, Information: what, OmitsReasons: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSia holds average completion times on two workloads published with Sia against those of its
// simulator, re-run with a solver other than the authors'. Its costs are rounded to hundredths,
// so many choices are equal, and the average hangs on which the solver takes: it is no exact
// test. Every way of ours to settle equal choices is within 5 % of the re-run, and their mean
// within 3 %.
func TestSia(t *testing.T) {
	part.Long(t, testing.Short())
	for _, c := range []struct {
		set  string
		want float64
	}{{"philly", 1951.8}, {"saturn", 2090.7}} {
		jobs := siaJobs(t, c.set, 1)
		var means []float64
		for ties := range 4 {
			if !part.Runs("golden") && ties > 0 {
				break
			}
			run := siaRun(t, lookup(t, "sia", paper.Params{"restarts": siaRestarts, "ties": ties}), jobs, siaCluster)
			s := run.Summarize()
			means = append(means, s.AvgJCT)
			t.Logf("%s, ties %d: mean %.1f s, published %.1f, makespan %.1f h, %.2f restarts a job", c.set, ties, s.AvgJCT, c.want, s.Makespan/3600, float64(s.RestartCount)/float64(s.JobCount))
			if off := s.AvgJCT/c.want - 1; math.Abs(off) > .05 {
				t.Errorf("%s, ties %d: mean %.1f s is %.1f %% off the published %.1f s", c.set, ties, s.AvgJCT, 100*off, c.want)
			}
		}
		mean := 0.0
		for _, m := range means {
			mean += m / float64(len(means))
		}
		if t.Logf("%s: %.1f s, %.1f to %.1f", c.set, mean, slices.Min(means), slices.Max(means)); math.Abs(mean/c.want-1) > .03 {
			t.Errorf("%s: on average %.1f s, published %.1f s", c.set, mean, c.want)
		}
	}
}

// TestSiaPaper holds the means over all workloads of a set against those of the paper, which
// gives them in tenths of hours. Jobs know one GPU of every type before they begin, as the paper
// says; the published simulator leaves that out. 0.6 h to completion and 14.2 h in all for the eight of Philly, 0.7
// and 14.9 h for the ten of Saturn.
func TestSiaPaper(t *testing.T) {
	part.Only(t, "golden")
	for _, c := range []struct {
		set             string
		workloads       int
		hours, makespan float64
	}{{"philly", 8, .6, 14.2}, {"saturn", 10, .7, 14.9}} {
		jct, makespan := 0.0, 0.0
		for n := 1; n <= c.workloads; n++ {
			s := siaRunTelling(t, lookup(t, "sia", paper.Params{"restarts": siaRestarts}), siaJobs(t, c.set, n), siaCluster, goodput.Profiled).Summarize()
			jct += s.AvgJCT / 3600 / float64(c.workloads)
			makespan += s.Makespan / 3600 / float64(c.workloads)
		}
		t.Logf("%s: %.3f h to completion, %.1f h in all; published %.1f and %.1f", c.set, jct, makespan, c.hours, c.makespan)
		if math.Abs(jct-c.hours) > .05 || math.Abs(makespan-c.makespan) > .25 {
			t.Errorf("%s: %.3f h to completion and %.2f h in all, published %.1f and %.1f", c.set, jct, makespan, c.hours, c.makespan)
		}
	}
}

// ownSiaProfile is a profile of our own by the name of an application that Sia's simulator
// calibrates. Steps on type b take a third of those on a, and four times as much fits there.
func ownSiaProfile(t *testing.T, name string, epochs int, noise float64) *goodput.Application {
	t.Helper()
	p := goodput.Profile{Name: name, InitialBatch: 64, MaxBatch: 1024, LeastPerDevice: 16, MostPerDevice: 64}
	for _, size := range []int{64, 256, 1024} {
		v := goodput.Validation{BatchSize: size}
		for e := range epochs {
			v.Epochs = append(v.Epochs, goodput.Epoch{Progress: 400 * float64(e+1), Iterations: 25_600 * float64(e+1) / float64(size), GradSqr: 1, GradVar: noise * float64(e+1)})
		}
		p.Validations = append(p.Validations, v)
	}
	for _, typ := range []struct {
		name string
		pace float64
		most int
	}{{"a", 1, 64}, {"b", 3, 256}} {
		table := goodput.StepTable{GPUType: typ.name, MostPerDevice: typ.most}
		for _, placed := range []string{"1", "2", "4", "44"} {
			for each := 16; each <= typ.most; each *= 2 {
				s := goodput.StepSample{Placement: placed, Nodes: len(placed), PerDevice: each, Sync: .02 * float64(len(placed)) / typ.pace}
				for _, d := range placed {
					s.Devices += int(d - '0')
				}
				if s.Devices == 1 {
					s.Sync = 0
				}
				s.Step = (.1+float64(each)/400)/typ.pace + s.Sync
				table.Samples = append(table.Samples, s)
			}
		}
		p.StepTables = append(p.StepTables, table)
	}
	a, err := goodput.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestOwnSia is the clock and the policy on jobs of our own, to the digit: two kinds that
// restart in 50 and 120 s on 16 GPUs of two types, and 16 jobs in an hour.
func TestOwnSia(t *testing.T) {
	run := siaRun(t, lookup(t, "sia", paper.Params{"restarts": siaRestarts}), ownSiaJobs(t), "2x4:a,2x4:b")
	s := run.Summarize()
	if got := fmt.Sprintf("mean %.3f s, makespan %.3f s, %d restarts", s.AvgJCT, s.Makespan, s.RestartCount); got != ownSiaDigits {
		t.Errorf("%s, want %s", got, ownSiaDigits)
	}
}

// ownSiaJobs are those of TestOwnSia.
func ownSiaJobs(t *testing.T) []workload.Job {
	kinds := []*goodput.Application{ownSiaProfile(t, "cifar10", 6, 8), ownSiaProfile(t, "bert", 20, 2)}
	var jobs []workload.Job
	for i := range 16 {
		a := kinds[i*i%5%2]
		jobs = append(jobs, workload.Job{ID: int64(i + 1), Arrive: float64(i * 225), GPUs: 1 + i%2, MinGPUs: 1, MaxGPUs: 2, Class: a.Name, Goodput: &goodput.Job{Application: a, BatchSize: 64}})
	}
	return jobs
}

const ownSiaDigits = "mean 476.750 s, makespan 3883.000 s, 20 restarts"
