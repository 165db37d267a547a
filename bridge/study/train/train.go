// Package train teaches the policy network of dl2 in the exact simulator: first to choose as
// its teacher does, then by actor and critic (Peng et al., DL2, IEEE TPDS 2021). The same
// settings give the same weights, to the bit, on the same kind of processor.
package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"fairbridge/policy/paper/dl2"
	"fairbridge/policy/solve/network"
)

// Settings are how a network is trained.
type Settings struct {
	Seed           int64
	Workload       Workload
	ImitationRuns  int     // simulations of the teacher
	ImitationTurns int     // times that all its choices are learnt
	Rounds         int     // of reinforcement
	RunsPerRound   int     // simulations of each
	ImitationRate  float64 // step of Adam
	ActorRate      float64 // likewise
	Entropy        float64 // worth of trying other choices
	// ReportProgress is told what was done; nil: none is told.
	ReportProgress func(text string)
}

// DefaultSettings are those the shipped weights were trained with.
func DefaultSettings() Settings {
	return Settings{Seed: 1, Workload: Workload{JobCount: 60, GPUs: 32, Load: .7}, ImitationRuns: 8, ImitationTurns: 16, Rounds: 60, RunsPerRound: 4,
		ImitationRate: 5e-3, ActorRate: 2e-4}
}

// recordedPart is the part of choices that is learnt from: those of one decision are alike.
const recordedPart = .06

// trainer is a training under way.
type trainer struct {
	Settings
	random               *rand.Rand
	net, critic          network.Network
	actor, criticLearner *learner
}

// Train returns trained weights. Errors are those of simulations, or that the context ended.
func Train(ctx context.Context, s Settings) (*dl2.Weights, error) {
	r := rand.New(rand.NewPCG(uint64(s.Seed), 2))
	inputs := len(dl2.FeatureNames())
	t := &trainer{Settings: s, random: r, net: newNetwork(r, inputs, 16, 16, 1), critic: newNetwork(r, criticInputs, 12, 1)}
	t.actor, t.criticLearner = newLearner(&t.net), newLearner(&t.critic)
	if err := t.imitate(); err != nil {
		return nil, err
	}
	t.actor = newLearner(&t.net)
	for round := range s.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("training was stopped: %w", err)
		}
		if err := t.reinforce(round); err != nil {
			return nil, err
		}
	}
	roundWeights(&t.net)
	return &dl2.Weights{Version: dl2.WeightsVersion, Features: dl2.FeatureNames(), Training: s.describe(), Network: t.net}, nil
}

// describe says how weights were trained.
func (s *Settings) describe() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return map[string]string{
		"seed": strconv.FormatInt(s.Seed, 10), "jobs": strconv.Itoa(s.Workload.JobCount), "gpus": strconv.Itoa(s.Workload.GPUs), "load": number(s.Workload.Load),
		"imitation_runs": strconv.Itoa(s.ImitationRuns), "imitation_turns": strconv.Itoa(s.ImitationTurns), "imitation_rate": number(s.ImitationRate),
		"rounds": strconv.Itoa(s.Rounds), "runs_per_round": strconv.Itoa(s.RunsPerRound), "actor_rate": number(s.ActorRate), "entropy": number(s.Entropy), "teacher": "the shortest first",
	}
}

// roundWeights keeps six digits, so that files are short.
func roundWeights(n *network.Network) {
	short := func(all []float64) {
		for i, v := range all {
			all[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
		}
	}
	for _, l := range n.Layers {
		short(l.Bias)
		for _, row := range l.Weights {
			short(row)
		}
	}
}

func (t *trainer) report(format string, a ...any) {
	if t.ReportProgress != nil {
		t.ReportProgress(fmt.Sprintf(format, a...))
	}
}

// nextSeed numbers the workloads of a training; those up to 1,000 are for trying weights on.
func (t *trainer) nextSeed() int64 { return 1001 + t.random.Int64N(1_000_000) }

// imitate teaches the network to choose as the teacher does.
func (t *trainer) imitate() error {
	var steps []step
	for range t.ImitationRuns {
		o, err := roll(t.Workload.Draw(t.nextSeed()), dl2.ShortestFirst{}, t.random, recordedPart)
		if err != nil {
			return err
		}
		steps = append(steps, o.steps...)
	}
	const batch = 32
	for turn := range t.ImitationTurns {
		t.random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		loss := 0.0
		for i := range steps {
			loss -= math.Log(t.learnChoice(&steps[i], 1./batch, 0))
			if i%batch == batch-1 {
				t.actor.step(t.ImitationRate / float64(1+turn/4))
			}
		}
		t.report("imitation, turn %d of %d: cross entropy %.3f over %d choices", turn+1, t.ImitationTurns, loss/float64(max(len(steps), 1)), len(steps))
	}
	return nil
}

// learnChoice makes a choice likelier by its worth, and all choices more alike by entropy. It
// returns how likely it was.
func (t *trainer) learnChoice(s *step, worth, entropy float64) float64 {
	scores := make([]float64, len(s.features))
	for i, f := range s.features {
		if s.open[i] {
			scores[i] = t.net.Forward(f)
		}
	}
	p := softmax(scores, s.open)
	mean := 0.0 // of the logarithms: minus the entropy
	for i := range p {
		if p[i] > 0 {
			mean += p[i] * math.Log(p[i])
		}
	}
	for i, f := range s.features {
		if !s.open[i] {
			continue
		}
		slope := worth * p[i]
		if i == s.chosen {
			slope -= worth
		}
		if p[i] > 0 {
			slope += entropy * p[i] * (math.Log(p[i]) - mean)
		}
		t.actor.add(f, slope)
	}
	return p[s.chosen]
}

// reinforce simulates a workload several times with chance, and makes choices likelier that led
// to fewer jobs than the critic expected, and than the other runs had at that time.
func (t *trainer) reinforce(round int) error {
	var runs []*rollout
	seed, jct := t.nextSeed(), 0.0
	for range t.RunsPerRound {
		chooser := &sampler{dl2.NewScores(&t.net), t.random}
		o, err := roll(t.Workload.Draw(seed), chooser, t.random, recordedPart)
		if err != nil {
			return err
		}
		runs = append(runs, o)
		jct += o.avgJCT / float64(t.RunsPerRound)
	}
	t.learnFrom(runs, t.judge(runs))
	t.report("reinforcement, round %d of %d: mean completion %.0f s", round+1, t.Rounds, jct)
	return nil
}

// learnFrom goes once through all choices, in an order by chance.
func (t *trainer) learnFrom(runs []*rollout, worth [][]float64) {
	const batch = 128
	type judged struct {
		step  *step
		worth float64
	}
	var all []judged
	for k, o := range runs {
		for i := range o.steps {
			all = append(all, judged{&o.steps[i], worth[k][o.steps[i].decision]})
		}
	}
	t.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i, j := range all {
		t.learnChoice(j.step, j.worth/batch, t.Entropy/batch)
		if i%batch == batch-1 {
			t.actor.step(t.ActorRate)
		}
	}
}

// judge returns how much better each decision turned out than the critic and the other runs have
// it, in standard deviations, and lets the critic learn.
func (t *trainer) judge(runs []*rollout) [][]float64 {
	surprise := make([][]float64, len(runs))
	for k, o := range runs {
		surprise[k] = o.returns()
		for i, m := range o.moments[:len(o.moments)-1] {
			surprise[k][i] -= criticScale * t.critic.Forward(m.facts)
		}
	}
	t.teachCritic(runs)
	worth, squares, n := make([][]float64, len(runs)), 0.0, 0.0
	for k, o := range runs {
		worth[k] = make([]float64, len(surprise[k]))
		for i, m := range o.moments[:len(o.moments)-1] {
			worth[k][i] = surprise[k][i]
			for other, p := range runs {
				worth[k][i] -= surprise[other][p.momentAt(m.seconds)] / float64(len(runs))
			}
			squares, n = squares+worth[k][i]*worth[k][i], n+1
		}
	}
	for k := range worth {
		for i := range worth[k] {
			worth[k][i] /= math.Sqrt(max(squares/n, 1e-12))
		}
	}
	return worth
}

// criticScale is about how large returns are.
const criticScale = 20

func (t *trainer) teachCritic(runs []*rollout) {
	for range 8 {
		for _, o := range runs {
			g := o.returns()
			for i, m := range o.moments[:len(o.moments)-1] {
				t.criticLearner.add(m.facts, (t.critic.Forward(m.facts)-g[i]/criticScale)/float64(len(g)))
			}
			t.criticLearner.step(.01)
		}
	}
}
