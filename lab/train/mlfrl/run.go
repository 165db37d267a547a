// Package mlfrl teaches the network of policy mlf-rl in the exact simulator: first to score jobs as MLF-H ranks them, then by how
// long jobs take and which deadlines they meet.
package mlfrl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/lab/learner"
	"fairbridge/lab/train/evolve"
	"fairbridge/policy"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
)

// simulate runs a workload with jobs ranked by a scorer; nil: by the heuristic.
func simulate(source learner.Source, seed int64, s mlfs.Scorer) (evolve.Outcome, error) {
	c, err := source.Draw(seed)
	if err != nil {
		return evolve.Outcome{}, err
	}
	p, err := newPolicy(s)
	if err != nil {
		return evolve.Outcome{}, err
	}
	o, err := Run(c, p)
	if err != nil {
		return evolve.Outcome{}, fmt.Errorf("simulating workload %d to learn from: %w", seed, err)
	}
	return o, nil
}

// Run is what comes of a workload with a policy.
func Run(c exact.Config, p policy.Policy) (evolve.Outcome, error) {
	c.Policy = p
	run, err := exact.Run(c)
	if err != nil {
		return evolve.Outcome{}, err
	}
	return evolve.Outcome{MeanSeconds: run.Summarize().AvgJCT, Met: learner.DeadlinesMet(c.Jobs, run)}, nil
}

// newPolicy is MLF-H as its simulator has it, ranking by a scorer.
func newPolicy(s mlfs.Scorer) (policy.Policy, error) {
	p, err := mlfs.System().New(mlfs.System().SimulatorParams)
	if err != nil || s == nil {
		return p, err
	}
	return mlfs.WithScorer(p.(*mlfs.Policy), s, "a network in training"), nil
}

// rewards of the paper that are simulated: what completion times and deadlines count.
const (
	completionWeight = .5
	deadlineWeight   = .55
)

// reward is how good an outcome is beside that of the teacher on the same workload, which has 1.05 with all deadlines met.
func reward(o, teacher evolve.Outcome) float64 {
	return completionWeight*teacher.MeanSeconds/o.MeanSeconds + deadlineWeight*o.Met
}

// recorder ranks as the heuristic does, and records what it saw and how that ranked it.
type recorder struct {
	every   int // one of so many is recorded: those of one decision are alike
	seen    int
	inputs  [][]float64
	targets []float64
}

// Score implements mlfs.Scorer.
func (r *recorder) Score(features []float64, priority float64) float64 {
	if r.seen++; r.seen%r.every == 0 {
		r.inputs, r.targets = append(r.inputs, features), append(r.targets, target(priority))
	}
	return priority
}

// target is what a network is to score where the heuristic has a priority: of the same order, and small.
func target(priority float64) float64 { return math.Log(max(priority, 1e-6)) / 4 }

// Workload is a drawn workload like that of the experiments of MLFS: run times of Philly's jobs up to two days,
// gangs of 1 to 32 GPUs, a deadline for each, and losses that fall to a plateau.
type Workload struct {
	JobCount int
	GPUs     int     // of the cluster, in nodes of four
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// Draw returns the simulation of a seed, without its policy. The policy is asked every minute at most; a stop costs
// half a minute.
func (w Workload) Draw(seed int64) exact.Config {
	r := newChance(seed)
	jobs := generate.PhillyDrawer{JobCount: w.JobCount, ClusterGPUs: w.GPUs, MaxRunSeconds: 2 * 86400}.DrawJobs(seed)
	work, last := 0.0, max(jobs[len(jobs)-1].Arrive, 1)
	for i := range jobs {
		jobs[i].GPUs = min(1<<r.IntN(6), w.GPUs)
		work += jobs[i].Duration * float64(jobs[i].GPUs)
	}
	span := work / (w.Load * float64(w.GPUs))
	for i := range jobs {
		jobs[i].Arrive = math.Floor(jobs[i].Arrive * span / last)
		giveGoals(r, &jobs[i])
		if r.IntN(5) == 0 {
			jobs[i].QOS = "high"
		}
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 5*time.Minute, 30*time.Second), OmitsReasons: true}
	for i := range (w.GPUs + 3) / 4 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "v100", Count: min(4, w.GPUs-4*i)}}})
	}
	return c
}

func newChance(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 60)) }

// giveGoals draws a deadline and how the loss of a job falls.
func giveGoals(r *rand.Rand, j *workload.Job) {
	j.Deadline = j.Arrive + max(1.1*j.Duration, 3600*(.5+23.5*r.Float64()))
	j.Loss = &workload.LossCurve{Floor: .1, Range: 2, Decay: math.Exp(-math.Log(100) / (.3 + .7*r.Float64()))}
}

// giveTraceGoals gives them to jobs of a trace that have no deadline of their own.
func giveTraceGoals(jobs []workload.Job, seed int64) {
	r := newChance(seed)
	for i := range jobs {
		if jobs[i].Deadline == 0 {
			giveGoals(r, &jobs[i])
		}
	}
}

// Learner says how mlf-rl is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "mlf-rl",
		About: `The network by which policy mlf-rl ranks jobs learns first to rank them as its teacher,
MLF-H of policy mlfs, then by changes of its weights that pay, by how long jobs take and
which deadlines they meet.`,
		Numbers:   append(learner.SharedNumbers(160, 80, 1.2), evolve.Numbers(15, 8, 3, 6)...),
		Baselines: "srtf",
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: func(c *exact.Config, seed int64) { giveTraceGoals(c.Jobs, seed) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			return evolve.NewTrainer(newTask(s.Source), evolve.NewSettings(s), state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := policymlfrl.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return newPolicy(policymlfrl.Score{Network: &w.Network})
		},
	}
}

// newTask is what the network is taught on workloads of a source.
func newTask(source learner.Source) evolve.Task {
	return evolve.Task{
		Features: mlfs.FeatureNames(), Version: policymlfrl.WeightsVersion, Teacher: "MLF-H", Reward: reward,
		Imitate: func(seeds []int64) (inputs [][]float64, targets []float64, err error) {
			rec := &recorder{every: 7}
			for _, seed := range seeds {
				if _, err := simulate(source, seed, rec); err != nil {
					return nil, nil, err
				}
			}
			return rec.inputs, rec.targets, nil
		},
		Simulate: func(seed int64, n *network.Network) (evolve.Outcome, error) {
			if n == nil {
				return simulate(source, seed, nil)
			}
			return simulate(source, seed, policymlfrl.Score{Network: n})
		},
	}
}
