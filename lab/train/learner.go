package train

import (
	"encoding/json"
	"fmt"

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
