package prediction

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// threeTypes is 40 nodes of four GPUs, of three types.
func threeTypes() []policy.Node {
	var nodes []policy.Node
	for i := range 40 {
		typ := []string{"k80", "p100", "v100"}[i%3]
		nodes = append(nodes, policy.Node{Name: fmt.Sprintf("n%02d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20, GPUs: []policy.NodeDevices{{Type: typ, Count: 4}}})
	}
	return nodes
}

// vague is a policy that is told of each job a rest that is wrong by a factor of its own: by 40 % in the mean. It notes when
// jobs were first planned to start.
type vague struct {
	policy.Policy
	seed    uint64
	planned map[policy.JobID]time.Time
}

const vagueSigma = .47

func (v *vague) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	seen := *s
	seen.Jobs = slices.Clone(s.Jobs)
	for i := range seen.Jobs {
		if t := seen.Jobs[i].Training; t != nil {
			wrong := *t
			wrong.Steps = t.StepsDone + (t.Steps-t.StepsDone)*math.Exp(vagueSigma*rand.New(rand.NewPCG(v.seed, uint64(seen.Jobs[i].ID))).NormFloat64())
			seen.Jobs[i].Training = &wrong
		}
	}
	plan, err := v.Policy.Decide(&seen)
	if err == nil {
		v.note(plan)
	}
	return plan, err
}

// note reads from what Apollo remembers when it thinks that jobs start.
func (v *vague) note(plan *policy.Plan) {
	text, err := json.Marshal(plan.Memo)
	var kept struct {
		Jobs  []policy.JobID
		Plans []struct{ Start time.Time }
	}
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return
	}
	for i, id := range kept.Jobs {
		if _, known := v.planned[id]; !known {
			v.planned[id] = kept.Plans[i].Start
		}
	}
}

func apolloRun(t *testing.T, seed int64, name string, params map[string]any, jobs []workload.Job) (*measure.Run, *vague) {
	t.Helper()
	v := &vague{system(t, name, params), uint64(seed), map[policy.JobID]time.Time{}}
	return simulate(t, exact.Config{Policy: v, Nodes: threeTypes(), Jobs: jobs, SpeedTables: generate.NewSpeedTables(), Clock: exact.NewEventClock(time.Minute, 10*time.Minute, time.Minute), Seed: seed}), v
}

// startErrors are how far off the first plan was, as parts of waits of ten minutes and more.
func startErrors(run *measure.Run, v *vague) (errs []float64) {
	for i := range run.JobOutcomes {
		o := &run.JobOutcomes[i]
		at, known := v.planned[policy.JobID(o.ID)]
		if wait := o.Start - o.Arrive; known && wait >= 600 {
			errs = append(errs, math.Abs(at.Sub(workload.CalendarTimeAt(o.Start)).Seconds())/wait)
		}
	}
	return errs
}

// TestReproduceApollo: with run times known by 40 %, mean completion under first come, first served with backfill is 1.05 times
// Apollo's, be jobs started on any GPUs that are free or on the fastest type only, and the first plan of a job that waits is off
// by no more than a quarter of its wait.
func TestReproduceApollo(t *testing.T) {
	seeds := int64(5)
	var greedy, fastest, slurm, errs []float64
	for seed := int64(1); seed <= seeds; seed++ {
		jobs := generate.GavelDrawer{JobCount: 400, ClusterGPUs: 160, OfferedLoad: .7}.DrawJobs(seed)
		only := slices.Clone(jobs)
		for i := range only {
			only[i].GPUType = "v100"
		}
		ours, v := apolloRun(t, seed, "apollo", nil, jobs)
		over := func(name string, params map[string]any, jobs []workload.Job) float64 {
			run, _ := apolloRun(t, seed, name, params, jobs)
			return run.Summarize().AvgJCT / ours.Summarize().AvgJCT
		}
		easy := map[string]any{"backfill": "easy"}
		greedy, fastest = append(greedy, over("fifo", easy, jobs)), append(fastest, over("fifo", easy, only))
		slurm, errs = append(slurm, over("multifactor", nil, jobs)), append(errs, median(startErrors(ours, v)))
	}
	t.Logf("over apollo: any free GPUs %s, the fastest only %s, multifactor %s; first plans are off by %s of the wait", spread(greedy), spread(fastest), spread(slurm), spread(errs))
	if m := min(median(greedy), median(fastest)); m < 1.05 {
		t.Errorf("the better of both takes %.2f times as long, want 1.05", m)
	}
	if m := median(errs); m > .25 {
		t.Errorf("first plans are off by %.2f of the wait, want .25", m)
	}
}

// TestApolloThroughSlurm: through the loop and a simulated Slurm mean completion is not worse than with Slurm alone.
func TestApolloThroughSlurm(t *testing.T) {
	var alone []float64
	for seed := int64(1); seed <= 5; seed++ {
		jobs := generate.GavelDrawer{JobCount: 60, ClusterGPUs: 48, OfferedLoad: .7, RunTimeDivisor: 4}.DrawJobs(seed)
		run := func(name string, p policy.Policy) float64 {
			r, err := slurmrun.Run(slurmrun.Config{Policy: p, PolicyName: name, Nodes: threeTypes()[:12], Jobs: jobs, SpeedTables: generate.NewSpeedTables(), Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			return r.Summarize().AvgJCT
		}
		alone = append(alone, run("", nil)/run("apollo", system(t, "apollo", nil)))
	}
	t.Logf("Slurm alone over apollo: %s %.2f", spread(alone), alone)
}
