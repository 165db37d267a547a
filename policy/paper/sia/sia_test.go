package sia_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/sia"
)

// nodes makes nodes of one type, so many devices each.
func nodes(gpuType string, counts ...int) []policy.Node {
	var all []policy.Node
	for i, n := range counts {
		all = append(all, policy.Node{Name: fmt.Sprintf("%s%03d", gpuType, i), Partitions: []string{"gpu"}, CPUs: 128, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: gpuType, Count: n}}})
	}
	return all
}

// elastic is a waiting job that may have 1 to most devices and scales by a serial part.
func elastic(id policy.JobID, most int, serial float64) policy.Job {
	at := policytest.SnapshotTime.Add(-10 * time.Hour)
	return policy.Job{ID: id, User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: at, Submit: at,
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, MinGPUs: 1, MaxGPUs: most, Scaling: &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: serial}}
}

// rigid is a waiting job that asks for so many devices.
func rigid(id policy.JobID, gpus int) policy.Job {
	j := elastic(id, 0, 0)
	j.Ask.GPUs.Count, j.MinGPUs, j.MaxGPUs, j.Scaling = gpus, 0, 0, nil
	return j
}

// on lets a job run since so long ago.
func on(j policy.Job, ran time.Duration, alloc policy.Alloc) policy.Job {
	j.State, j.On, j.Start = policy.Running, alloc, policytest.SnapshotTime.Add(-ran)
	j.FirstStart = j.Start
	return j
}

func decide(t testing.TB, params paper.Params, at []policy.Node, jobs ...policy.Job) []policy.Decision {
	t.Helper()
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: at, Jobs: jobs}
	plan, err := policytest.NewPolicy(t, sia.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

// quick lets jobs be stopped once they ran as long as a restart takes.
var quick = paper.Params{"settle": 1, "min_run": "1s", "max_stops": -1, "max_wait": "0s"}

// TestRestarts: what a job gains by another size must outweigh the restarts it had; a job just
// started is left alone.
func TestRestarts(t *testing.T) {
	two := policy.Alloc{{Node: "x000", Type: "x", Count: 2}}
	for name, c := range map[string]struct {
		stops    int
		age, ran time.Duration
		want     int
	}{
		"no restart yet":       {0, 10 * time.Hour, 5 * time.Hour, 8},
		"many restarts":        {2300, 10 * time.Hour, 5 * time.Hour, 2},
		"younger than one":     {0, 20 * time.Second, 20 * time.Second, 8},
		"restarting right now": {0, 10 * time.Hour, 10 * time.Second, 2},
	} {
		j := on(elastic(1, 8, 0), c.ran, two)
		j.Arrive, j.StopCount, j.CheckpointCost = policytest.SnapshotTime.Add(-c.age), c.stops, 15*time.Second
		if name == "younger than one" {
			j.CheckpointCost = 0 // 30 s are assumed, but do not keep it from being stopped
		}
		if d := decide(t, quick, nodes("x", 8), j)[0]; d.GPUs != c.want || (d.Verb == policy.Resize) != (c.want == 8) {
			t.Errorf("%s: %s on %d, want %d", name, d.Verb, d.GPUs, c.want)
		}
	}
	// What the site knows of the class comes before what the job says.
	j := on(elastic(1, 8, 0), 5*time.Hour, two)
	j.Class, j.StopCount, j.CheckpointCost = "slow", 9, time.Second
	if d := decide(t, paper.Params{"settle": 1, "min_run": "1s", "restarts": "slow:3600"}, nodes("x", 8), j)[0]; d.Verb != policy.Keep {
		t.Errorf("a class that restarts in an hour: %s on %d, want keep", d.Verb, d.GPUs)
	}
}

// TestTypes: a job goes to the type its owner accepts besides the one asked for, and to no
// other; what was measured on one type is carried over to another by what is known of both.
func TestTypes(t *testing.T) {
	cluster := append(nodes("fast", 4), nodes("slow", 4)...)
	measured := []policy.SpeedPoint{{Type: "fast", Devices: 1, StepsPerSecond: 4}, {Type: "slow", Devices: 1, StepsPerSecond: 1}, {Type: "slow", Devices: 4, StepsPerSecond: 3}}
	for name, c := range map[string]struct {
		change func(*policy.Job)
		gpus   int
		want   string
	}{
		"asks for any":             {func(j *policy.Job) { j.MaxGPUs = 4 }, 4, "fast"},
		"asks for one":             {func(j *policy.Job) { j.MaxGPUs, j.Ask.GPUs.Type = 4, "slow" }, 4, "slow"},
		"accepts another":          {func(j *policy.Job) { j.MaxGPUs, j.Ask.GPUs.Type, j.GPUTypes = 4, "slow", []string{"fast"} }, 4, "fast"},
		"accepts one that is none": {func(j *policy.Job) { j.Ask.GPUs.Type, j.GPUTypes = "slow", []string{"none"} }, 1, "slow"},
		"keeps its size":           {func(j *policy.Job) { j.MinGPUs, j.MaxGPUs, j.Ask.GPUs.Count = 0, 0, 3 }, 3, "fast"},
		"by its own rates": {func(j *policy.Job) {
			j.Scaling, j.MaxGPUs = nil, 2
			j.Training = &policy.Training{Steps: 1e6, Rates: []policy.Rate{{Type: "fast", StepsPerSecond: 1}, {Type: "slow", StepsPerSecond: 5}}}
		}, 2, "slow"},
		"cannot run there": {func(j *policy.Job) {
			j.Training = &policy.Training{Steps: 1e6, Rates: []policy.Rate{{Type: "slow", StepsPerSecond: 5}}}
		}, 1, "slow"},
	} {
		j := elastic(1, 1, 0)
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, Points: measured}
		c.change(&j)
		if name == "by its own rates" {
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: .1}
		}
		if d := decide(t, quick, cluster, j)[0]; d.Verb != policy.Start || d.GPUs != c.gpus || d.On.FirstType() != c.want {
			t.Errorf("%s: %s %v, want %d on %s", name, d.Verb, d.On, c.gpus, c.want)
		}
	}
}

// TestRunningChangesType: a job that asks for one type moves to one it accepts besides.
func TestRunningChangesType(t *testing.T) {
	j := on(rigid(1, 2), 5*time.Hour, policy.Alloc{{Node: "k80000", Type: "k80", Count: 2}})
	j.Ask.GPUs.Type, j.GPUTypes = "k80", []string{"a100"}
	d := decide(t, quick, append(nodes("a100", 4), nodes("k80", 4)...), j)[0]
	if d.Verb != policy.Move || d.On.FirstType() != "a100" || d.GPUs != 2 {
		t.Errorf("%s %v, want a move to a100", d.Verb, d.On)
	}
}

// drawCluster draws a cluster of two types and elastic and rigid jobs, some of which run.
func drawCluster(seed uint64) ([]policy.Node, []policy.Job) {
	rnd := rand.New(rand.NewPCG(seed, 18))
	at := append(nodes("p", 4, 4, 4), nodes("q", 8, 8)...)
	free := map[string]int{}
	for _, n := range at {
		free[n.Name] = n.GPUs[0].Count
	}
	var jobs []policy.Job
	for id := range policy.JobID(4 + rnd.IntN(24)) {
		j := elastic(id+1, 1<<rnd.IntN(5), .2*rnd.Float64())
		if rnd.IntN(3) == 0 {
			j = rigid(id+1, 1<<rnd.IntN(3))
		}
		n := at[rnd.IntN(len(at))]
		if size := j.Ask.GPUs.Count; rnd.IntN(2) == 0 && free[n.Name] >= size {
			free[n.Name] -= size
			j = on(j, time.Duration(1+rnd.IntN(300))*time.Minute, policy.Alloc{{Node: n.Name, Type: n.GPUs[0].Type, Count: size}})
			j.StopCount = rnd.IntN(4)
		}
		jobs = append(jobs, j)
	}
	return at, jobs
}

// TestProperties: plans are lawful; no job waits that could run on one idle GPU; part of a node
// is on one node, and more than one node whole.
func TestProperties(t *testing.T) {
	for seed := range uint64(60) {
		at, jobs := drawCluster(seed)
		idle := 28
		waits := false
		for i, d := range decide(t, quick, at, jobs...) {
			if d.Verb == policy.Stop || d.Verb == policy.Wait || d.Verb == policy.Hold {
				waits = waits || jobs[i].Ask.GPUs.Count == 1 || jobs[i].MinGPUs == 1
				continue
			}
			idle -= d.On.Count()
			for _, s := range d.On {
				whole := map[string]int{"p": 4, "q": 8}[s.Type]
				if len(d.On) > 1 && s.Count != whole {
					t.Errorf("seed %d: job %d on %v: more than one node, and not all of each", seed, d.Job, d.On)
				}
			}
		}
		if idle > 0 && waits {
			t.Errorf("seed %d: %d GPUs idle, and a job waits that could run on one", seed, idle)
		}
	}
}

// TestScale: a job that reports its speed in another unit gets the same.
func TestScale(t *testing.T) {
	for seed := range uint64(20) {
		at, jobs := drawCluster(seed)
		var reported, scaled []policy.Job
		for _, j := range jobs {
			points := []policy.SpeedPoint{{Type: "p", Devices: 1, StepsPerSecond: 1}, {Type: "p", Devices: 16, StepsPerSecond: 9}, {Type: "q", Devices: 1, StepsPerSecond: 2}}
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, Points: points}
			reported = append(reported, j)
			faster := *j.Scaling
			faster.Points = slices.Clone(points)
			for k := range faster.Points {
				faster.Points[k].StepsPerSecond *= 64
			}
			j.Scaling = &faster
			scaled = append(scaled, j)
		}
		a, b := decide(t, quick, at, reported...), decide(t, quick, at, scaled...)
		for i := range a {
			if a[i].Verb != b[i].Verb || !a[i].On.Equal(b[i].On) {
				t.Errorf("seed %d: %s %v, and %s %v in another unit", seed, a[i].Verb, a[i].On, b[i].Verb, b[i].On)
			}
		}
	}
}

// TestTies: with a seed other choices of equal sums are taken, without one always the same.
func TestTies(t *testing.T) {
	seen := map[string]bool{}
	for ties := range 20 {
		params := paper.Params{"ties": ties}
		var started []string
		for _, d := range decide(t, params, nodes("x", 2), rigid(1, 1), rigid(2, 1), rigid(3, 1), rigid(4, 1)) {
			if d.Verb == policy.Start {
				started = append(started, fmt.Sprint(d.Job))
			}
		}
		seen[strings.Join(started, " ")] = true
	}
	if len(seen) < 3 {
		t.Errorf("20 seeds start %v, want more kinds of pairs", seen)
	}
}

// BenchmarkDecide is one decision on 1,000 elastic jobs and 1,024 GPUs of three types, half of
// the jobs running.
func BenchmarkDecide(b *testing.B) {
	var at []policy.Node
	for _, gpuType := range []string{"a100", "h100", "v100"} {
		at = append(at, nodes(gpuType, slices.Repeat([]int{8}, map[string]int{"a100": 44, "h100": 40, "v100": 44}[gpuType])...)...)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	var jobs []policy.Job
	for id := range policy.JobID(1000) {
		j := elastic(id+1, 1<<rnd.IntN(7), .2*rnd.Float64())
		if id < 500 {
			n := at[id/4] // of 128
			j = on(j, 5*time.Hour, policy.Alloc{{Node: n.Name, Type: n.GPUs[0].Type, Count: 1 + int(id%2)}})
		}
		jobs = append(jobs, j)
	}
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: at, Jobs: jobs, OmitReasons: true}
	p := policytest.NewPolicy(b, sia.System().New, nil)
	for b.Loop() {
		if _, err := p.Decide(s); err != nil {
			b.Fatal(err)
		}
	}
}
