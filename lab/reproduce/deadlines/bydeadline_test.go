package deadlines

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// overload draws jobs of Gavel's sizes that run for half an hour to five hours (10^1.5 to 10^2.5 minutes)
// and together ask for 1.2 of so many GPUs for days. Each is due after 1.4 to 3.1 of its run times, the middle 80 %
// of the ratios of Chronus' artifact (SoCC 2021), and worth 2, 5, 8 or 10 then.
func overload(seed int64, jobCount, gpus int) []workload.Job {
	jobs := generate.GavelDrawer{JobCount: jobCount, ClusterGPUs: gpus, WithoutTraining: true}.DrawJobs(seed)
	r, total, at := rand.New(rand.NewPCG(uint64(seed), 31)), 0., 0.
	for i := range jobs {
		jobs[i].Duration = math.Ceil(60 * math.Pow(10, 1.5+r.Float64()))
		total += jobs[i].Duration * float64(jobs[i].GPUs)
	}
	gap := total / float64(gpus) / 1.2 / float64(len(jobs))
	for i := range jobs {
		j := &jobs[i]
		at += gap * r.ExpFloat64()
		j.Arrive, j.Speeds, j.Account = math.Ceil(at), nil, fmt.Sprint("a", i%6)
		j.Deadline = math.Ceil(j.Arrive + j.Duration*(1.4+1.7*r.Float64()))
		j.DeadlineValue = [...]float64{2, 5, 8, 10}[r.IntN(4)]
		j.TimeLimit = policy.DurationFromSeconds(2 * j.Duration)
	}
	return jobs
}

// worthOfRun is the value of the deadlines that a run met, as a part of all.
func worthOfRun(jobs []workload.Job, run *measure.Run) (worth float64) {
	byID, all := map[int64]*workload.Job{}, 0.
	for i := range jobs {
		byID[jobs[i].ID] = &jobs[i]
		all += jobs[i].DeadlineValue
	}
	for _, o := range run.JobOutcomes {
		if j := byID[o.ID]; o.Finish > 0 && o.Finish <= j.Deadline {
			worth += j.DeadlineValue / all
		}
	}
	return worth
}

// asPublished makes a policy with the parameters of its own simulator.
func asPublished(t *testing.T, name string, given paper.Params) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	params := maps.Clone(e.SimulatorParams)
	maps.Copy(params, given)
	p, err := e.New(params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReproduceByDeadline: in overload, where not all deadlines can be met, serving the earliest first drags all along,
// and serving those first that lose most by waiting meets many times as much worth; lengths are known.
func TestReproduceByDeadline(t *testing.T) {
	seedCount, jobCount := 5, 800
	nodes, err := cluster.ParseSpec("4x8")
	if err != nil {
		t.Fatal(err)
	}
	ratios := map[string][]float64{}
	for seed := range int64(seedCount) {
		jobs, worth := overload(seed+1, jobCount, 32), map[string]float64{}
		for _, name := range []string{"by-deadline", "edf", "fifo", "multifactor", "srtf", "sjf"} {
			run, err := exact.Run(exact.Config{Policy: asPublished(t, name, nil), Nodes: nodes, Jobs: jobs, PredictsTruth: true, OmitsReasons: true, Seed: seed + 1})
			if err != nil {
				t.Fatal(err)
			}
			worth[name] = worthOfRun(jobs, run)
		}
		t.Logf("seed %d: %v", seed+1, worth)
		for name, w := range worth {
			ratios[name] = append(ratios[name], worth["by-deadline"]/w)
		}
	}
	for name, least := range map[string]float64{"edf": 1.2, "fifo": 1.5, "multifactor": 1, "sjf": 1, "srtf": 1} {
		all := slices.Sorted(slices.Values(ratios[name]))
		t.Logf("by-deadline over %s: %.2f (%.2f to %.2f)", name, all[len(all)/2], all[0], all[len(all)-1])
		if all[len(all)/2] < least {
			t.Errorf("over %s %.2f, want %.2f", name, all[len(all)/2], least)
		}
	}
}

// TestSlurmByDeadline: the same through the loop, the gate and a simulated Slurm, beside Slurm alone, with deadlines that count within
// shares only. Five seeds on 64 GPUs are in docs/evaluation.md; this is one, small, that must not lose.
func TestSlurmByDeadline(t *testing.T) {
	nodes, err := cluster.ParseSpec("2x8")
	if err != nil {
		t.Fatal(err)
	}
	jobs, worth := overload(1, 250, 16), map[string]float64{}
	for _, name := range []string{"", "by-deadline"} {
		c := slurmrun.Config{Nodes: nodes, Jobs: jobs, Seed: 1, PredictsTruth: true, PolicyName: name}
		if name != "" {
			c.Policy = asPublished(t, name, paper.Params{"deadlines_count": "within_share"})
		}
		run, err := slurmrun.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		worth[name] = worthOfRun(jobs, run)
	}
	if t.Logf("worth of the deadlines met: %v", worth); worth["by-deadline"] < worth[""] {
		t.Errorf("worth %.3f, with Slurm alone %.3f", worth["by-deadline"], worth[""])
	}
}
