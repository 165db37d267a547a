package train

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/train/gradient"
	"fairbridge/policy"
	"fairbridge/policy/paper/dl2"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
)

// Learner says how dl2 is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "dl2",
		About: `The network by which policy dl2 chooses the sizes of elastic jobs learns first to do as
its teacher, the shortest first, then by actor and critic, by how many jobs are present
after each choice.`,
		Numbers: append(learner.SharedNumbers(60, 32, .7),
			learner.Number{Name: "rounds", Help: "rounds of reinforcement; 0: only as the teacher does", Default: 60, Most: 100_000, IsWhole: true},
			learner.Number{Name: "runs", Help: "simulations of each round", Default: 4, Least: 2, Most: 100, IsWhole: true},
			learner.Number{Name: "imitation-runs", Help: "simulations of the teacher to learn from", Default: 8, Least: 1, Most: 1000, IsWhole: true}),
		Baselines: "dl2:by=equal",
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: func(c *exact.Config, _ int64) { giveRanges(c.Jobs) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			t := newTrainer(Settings{Seed: s.Seed, Source: s.Source, ImitationRuns: int(s.Values["imitation-runs"]), ImitationTurns: imitationTurns, Rounds: int(s.Values["rounds"]),
				RunsPerRound: int(s.Values["runs"]), ImitationRate: imitationRate, ActorRate: actorRate})
			return t, t.resume(state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := dl2.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return dl2.NewTrainee(dl2.NewScores(&w.Network))
		},
	}
}

// giveRanges lets jobs of a trace that have no range run on half to twice what they ask, with speeds as those of the drawn
// workloads.
func giveRanges(jobs []workload.Job) {
	for i := range jobs {
		j := &jobs[i]
		if j.MaxGPUs > 0 || j.Training != nil || j.Speeds != nil || j.ArrayID != 0 {
			continue
		}
		j.MinGPUs, j.MaxGPUs = max(j.GPUs/2, 1), 2*j.GPUs
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: serialParts[int(j.ID)%len(serialParts)]}
	}
}

// state is what a training goes on from.
type state struct {
	Chance   []byte          `json:"chance"`
	Network  network.Network `json:"network"`
	Critic   network.Network `json:"critic"`
	Actor    *gradient.Adam  `json:"actor"`
	OfCritic *gradient.Adam  `json:"of_critic"`
	Imitated bool            `json:"imitated"`
	Round    int             `json:"round"`
}

// State implements learner.Training.
func (t *trainer) State() ([]byte, error) {
	chance, err := t.source.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(state{chance, t.net, t.critic, t.actor, t.criticLearner, t.imitated, t.round})
}

// resume brings the training to a state; nil: it stays at its beginning.
func (t *trainer) resume(raw []byte) error {
	if raw == nil {
		return nil
	}
	var s state
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("reading the state of a training: %w", err)
	}
	if err := t.source.UnmarshalBinary(s.Chance); err != nil || s.Actor == nil || s.OfCritic == nil {
		return fmt.Errorf("reading the state of a training: it is not whole (%w)", err)
	}
	t.net, t.critic, t.imitated, t.round = s.Network, s.Critic, s.Imitated, s.Round
	t.actor, t.criticLearner = s.Actor, s.OfCritic
	t.actor.Resume(&t.net)
	t.criticLearner.Resume(&t.critic)
	return nil
}

// Workload is a drawn workload of elastic training jobs like that of the experiments of Pollux
// (Qiao et al., OSDI 2021): most jobs take less than a GPU-hour, a fifth up to ten, a few up to
// a hundred, and models differ in how well they scale. Each runs on 1 to 16 GPUs.
type Workload struct {
	JobCount int     // of a run
	GPUs     int     // of the cluster, in nodes of eight
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// jobKinds are the kinds of jobs: their shares, their work in GPU-hours, spread evenly by its
// logarithm, and the most GPUs they ask for.
var jobKinds = []struct {
	share, least, most float64
	asks               int
}{{.72, .05, 1, 2}, {.20, 1, 10, 4}, {.08, 10, 100, 8}}

// serialParts are those of the models' steps that do not get faster with GPUs.
var serialParts = []float64{.01, .03, .06, .12, .3}

// Draw returns the simulation of a seed, without its policy. The policy is asked every
// minute; a resize costs half a minute without progress.
func (w Workload) Draw(seed int64) exact.Config {
	r := rand.New(rand.NewPCG(uint64(seed), 15))
	jobs, work := make([]workload.Job, w.JobCount), 0.0
	for i := range jobs {
		k, u := 0, r.Float64()
		for k < len(jobKinds)-1 && u >= jobKinds[k].share {
			u -= jobKinds[k].share
			k++
		}
		kind := &jobKinds[k]
		hours, gpus := kind.least*math.Pow(kind.most/kind.least, r.Float64()), 1+r.IntN(kind.asks)
		work += 3600 * hours
		jobs[i] = workload.Job{GPUs: gpus, MinGPUs: 1, MaxGPUs: 16, Duration: math.Ceil(3600 * hours / float64(gpus)),
			Scaling: &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: serialParts[r.IntN(len(serialParts))]}}
	}
	span := work / (w.Load * float64(w.GPUs))
	for i := range jobs {
		jobs[i].ID, jobs[i].Arrive = int64(i+1), math.Floor(span*r.Float64())
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(decisionEvery, decisionEvery, restartCost), OmitsReasons: true}
	for i := range (w.GPUs + 7) / 8 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, CPUs: 64, GPUs: []policy.NodeDevices{{Type: "v100", Count: min(8, w.GPUs-8*i)}}})
	}
	return c
}
