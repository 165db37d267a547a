// Package train teaches the policy network of dl2 in the exact simulator: first to choose as
// its teacher does, then by actor and critic (Peng et al., DL2, IEEE TPDS 2021). The same
// settings give the same weights, to the bit, on the same kind of processor.
package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"fairbridge/lab/learner"
	"fairbridge/lab/train/gradient"
	"fairbridge/policy/paper/dl2"
	"fairbridge/policy/solve/network"
)

// Settings are how a network is trained.
type Settings struct {
	Seed           int64
	Source         learner.Source
	ImitationRuns  int     // simulations of the teacher
	ImitationTurns int     // times that all its choices are learnt
	Rounds         int     // of reinforcement
	RunsPerRound   int     // simulations of each
	ImitationRate  float64 // step of Adam
	ActorRate      float64 // likewise
	Entropy        float64 // worth of trying other choices
}

// What is not to be set: as the shipped weights were trained.
const (
	imitationTurns = 16
	imitationRate  = 5e-3
	actorRate      = 2e-4
)

// recordedPart is the part of choices that is learnt from: those of one decision are alike.
const recordedPart = .06

// trainer is a training under way.
type trainer struct {
	Settings
	source               *rand.PCG
	random               *rand.Rand // by source
	net, critic          network.Network
	actor, criticLearner *gradient.Adam
	imitated             bool
	round                int // of reinforcement, done
}

func newTrainer(s Settings) *trainer {
	source := rand.NewPCG(uint64(s.Seed), 2)
	r := rand.New(source)
	inputs := len(dl2.FeatureNames())
	t := &trainer{Settings: s, source: source, random: r, net: gradient.DrawNetwork(r, inputs, 16, 16, 1), critic: gradient.DrawNetwork(r, criticInputs, 12, 1)}
	t.actor, t.criticLearner = gradient.NewAdam(&t.net), gradient.NewAdam(&t.critic)
	return t
}

// Step implements learner.Training: first the imitation, then a round of reinforcement each.
func (t *trainer) Step() (said string, done bool, err error) {
	if !t.imitated {
		said, err = t.imitate()
		t.actor, t.imitated = gradient.NewAdam(&t.net), true
		return said, t.Rounds == 0, err
	}
	said, err = t.reinforce()
	return said, t.round >= t.Rounds, err
}

// Weights implements learner.Training.
func (t *trainer) Weights() ([]byte, error) {
	w := network.Weights{Version: dl2.WeightsVersion, Features: dl2.FeatureNames(), Training: t.describe(), Network: t.net}
	return w.Encode()
}

// describe says how weights were trained.
func (s *Settings) describe() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return map[string]string{
		"seed": strconv.FormatInt(s.Seed, 10), "source": s.Source.Name(),
		"imitation_runs": strconv.Itoa(s.ImitationRuns), "imitation_turns": strconv.Itoa(s.ImitationTurns), "imitation_rate": number(s.ImitationRate),
		"rounds": strconv.Itoa(s.Rounds), "runs_per_round": strconv.Itoa(s.RunsPerRound), "actor_rate": number(s.ActorRate), "entropy": number(s.Entropy), "teacher": "the shortest first",
	}
}

// nextSeed draws a workload to learn from.
func (t *trainer) nextSeed() int64 { return learner.TrainingSeed(t.random.Int64N(1_000_000)) }

// draw is the simulation of a seed with a chooser, recorded.
func (t *trainer) draw(seed int64, chooser dl2.Chooser) (*rollout, error) {
	c, err := t.Source.Draw(seed)
	if err != nil {
		return nil, err
	}
	return roll(c, chooser, t.random, recordedPart)
}

// imitate teaches the network to choose as the teacher does.
func (t *trainer) imitate() (said string, err error) {
	var steps []step
	for range t.ImitationRuns {
		o, err := t.draw(t.nextSeed(), dl2.ShortestFirst{})
		if err != nil {
			return "", err
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
				t.actor.Step(t.ImitationRate / float64(1+turn/4))
			}
		}
		said = fmt.Sprintf("imitation, %d turns: cross entropy %.3f over %d choices", turn+1, loss/float64(max(len(steps), 1)), len(steps))
	}
	return said, nil
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
		t.actor.Add(f, slope)
	}
	return p[s.chosen]
}

// reinforce simulates a workload several times with chance, and makes choices likelier that led
// to fewer jobs than the critic expected, and than the other runs had at that time.
func (t *trainer) reinforce() (said string, err error) {
	var runs []*rollout
	seed, jct := t.nextSeed(), 0.0
	for range t.RunsPerRound {
		chooser := &sampler{dl2.NewScores(&t.net), t.random}
		o, err := t.draw(seed, chooser)
		if err != nil {
			return "", err
		}
		runs = append(runs, o)
		jct += o.avgJCT / float64(t.RunsPerRound)
	}
	t.learnFrom(runs, t.judge(runs))
	t.round++
	return fmt.Sprintf("reinforcement, round %d of %d: mean completion %.0f s", t.round, t.Rounds, jct), nil
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
			t.actor.Step(t.ActorRate)
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
				t.criticLearner.Add(m.facts, (t.critic.Forward(m.facts)-g[i]/criticScale)/float64(len(g)))
			}
			t.criticLearner.Step(.01)
		}
	}
}
