// Package mlfrl teaches the network of policy mlf-rl in the exact simulator: first to score jobs as MLF-H ranks
// them, then by evolution strategies (T. Salimans et al., "Evolution Strategies as a Scalable Alternative to
// Reinforcement Learning", 2017), which try drawn changes of the weights and follow those that pay. The same settings give
// the same weights, to the bit, on the same kind of processor.
package mlfrl

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"fairbridge/bridge/study/exact"
	"fairbridge/policy"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
)

// Settings are how a network is trained.
type Settings struct {
	Seed          int64
	Workload      Workload
	ImitationRuns int     // simulations of the teacher
	Hidden        int     // width of the hidden layer
	Rounds        int     // of improvement; 0: imitation only
	Pairs         int     // of opposite changes tried in each round
	RunsPerChange int     // workloads on which each is tried
	Spread        float64 // standard deviation of a change, relative to what weights are
	Rate          float64 // how far weights go along the changes of a round, weighed by what they gain
	// ReportProgress is told what was done; nil: none is told.
	ReportProgress func(text string)
}

// DefaultSettings are those the shipped weights were trained with.
func DefaultSettings() Settings {
	return Settings{Seed: 1, Workload: Workload{JobCount: 160, GPUs: 80, Load: 1.2}, ImitationRuns: 6, Hidden: 16, Rounds: 15, Pairs: 8, RunsPerChange: 3, Spread: .2, Rate: .5}
}

// trainer is a training under way.
type trainer struct {
	Settings
	random *rand.Rand
	net    network.Network
}

func newTrainer(s Settings) *trainer {
	return &trainer{Settings: s, random: rand.New(rand.NewPCG(uint64(s.Seed), 61))}
}

// Train returns trained weights. Errors are those of simulations, or that the context ended.
func Train(ctx context.Context, s Settings) (*network.Weights, error) {
	t := newTrainer(s)
	if err := t.imitate(); err != nil {
		return nil, err
	}
	if err := t.improveAll(ctx); err != nil {
		return nil, err
	}
	roundWeights(weightsOf(&t.net))
	return &network.Weights{Version: policymlfrl.WeightsVersion, Features: mlfs.FeatureNames(), Training: s.describe(), Network: t.net}, nil
}

// describe says how weights were trained.
func (s *Settings) describe() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return map[string]string{
		"seed": strconv.FormatInt(s.Seed, 10), "jobs": strconv.Itoa(s.Workload.JobCount), "gpus": strconv.Itoa(s.Workload.GPUs), "load": number(s.Workload.Load),
		"imitation_runs": strconv.Itoa(s.ImitationRuns), "rounds": strconv.Itoa(s.Rounds), "pairs": strconv.Itoa(s.Pairs), "runs_per_change": strconv.Itoa(s.RunsPerChange),
		"spread": number(s.Spread), "rate": number(s.Rate), "teacher": "MLF-H",
	}
}

func (t *trainer) report(format string, a ...any) {
	if t.ReportProgress != nil {
		t.ReportProgress(fmt.Sprintf(format, a...))
	}
}

// nextSeed numbers the workloads of a training; those up to 1,000 are for trying weights on.
func (t *trainer) nextSeed() int64 { return 1001 + t.random.Int64N(1_000_000) }

// trial is a workload on which changes are tried, with what its teacher makes of it.
type trial struct {
	seed    int64
	teacher Outcome
}

// judgedEvery is after how many rounds weights are judged on workloads that no change is tried on.
const judgedEvery = 5

// improveAll goes through all rounds, and keeps the weights that were judged best, be they those of imitation.
func (t *trainer) improveAll(ctx context.Context) error {
	judges, err := t.newTrials(3 * t.RunsPerChange)
	if err != nil {
		return err
	}
	best, most := cloneNetwork(&t.net), math.Inf(-1)
	for round := range t.Rounds + 1 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("training was stopped: %w", err)
		}
		if round%judgedEvery == 0 || round == t.Rounds {
			reward, err := t.rewardWith(nil, 0, judges)
			if err != nil {
				return err
			}
			if reward > most {
				best, most = cloneNetwork(&t.net), reward
			}
			t.report("after round %d of %d: reward %.4f on workloads that it does not learn from, at most %.4f", round, t.Rounds, reward, most)
		}
		if round == t.Rounds {
			break
		}
		if err := t.improve(); err != nil {
			return err
		}
	}
	t.net = best
	return nil
}

// newTrials draws workloads.
func (t *trainer) newTrials(count int) ([]trial, error) {
	trials := make([]trial, count)
	for i := range trials {
		trials[i].seed = t.nextSeed()
	}
	return trials, inParallel(count, func(i int) (err error) {
		trials[i].teacher, err = simulate(t.Workload, trials[i].seed, nil)
		return err
	})
}

// improve tries drawn changes of the weights, each with its opposite on the same workloads, and follows what pays.
func (t *trainer) improve() error {
	trials, err := t.newTrials(t.RunsPerChange)
	if err != nil {
		return err
	}
	all := weightsOf(&t.net)
	slope := make([]float64, len(all))
	squares, changes := 0.0, make([][]float64, t.Pairs)
	var gains []float64
	for k := range changes {
		changes[k] = t.draw(all)
	}
	if gains, err = t.gainsOf(changes, trials); err != nil {
		return err
	}
	for _, g := range gains {
		squares += g * g
	}
	for k, change := range changes {
		for i, v := range change {
			slope[i] += gains[k] / math.Sqrt(max(squares, 1e-12)) * v
		}
	}
	for i, w := range all {
		*w += t.Rate * slope[i]
	}
	return nil
}

// gainsOf is how much more reward each change has than its opposite, by half.
func (t *trainer) gainsOf(changes [][]float64, trials []trial) ([]float64, error) {
	rewards := make([]float64, 2*len(changes))
	err := inParallel(len(rewards), func(i int) (err error) {
		rewards[i], err = t.rewardWith(changes[i/2], float64(1-2*(i%2)), trials)
		return err
	})
	gains := make([]float64, len(changes))
	for k := range gains {
		gains[k] = (rewards[2*k] - rewards[2*k+1]) / 2
	}
	return gains, err
}

// draw draws a change of each weight, in proportion to how large those of its layer are.
func (t *trainer) draw(all []*float64) []float64 {
	out := make([]float64, len(all))
	for i := range out {
		out[i] = t.Spread * t.random.NormFloat64() * max(math.Abs(*all[i]), .1)
	}
	return out
}

// rewardWith is the mean reward on the workloads with changed weights.
func (t *trainer) rewardWith(change []float64, sign float64, trials []trial) (float64, error) {
	changed := cloneNetwork(&t.net)
	for i, v := range change {
		*weightsOf(&changed)[i] += sign * v
	}
	rewards := make([]float64, len(trials))
	err := inParallel(len(trials), func(i int) error {
		o, err := simulate(t.Workload, trials[i].seed, policymlfrl.Score{Network: &changed})
		rewards[i] = o.reward(trials[i].teacher)
		return err
	})
	sum := 0.0
	for _, r := range rewards {
		sum += r
	}
	return sum / float64(len(trials)), err
}

// weightsOf are all weights of a network, in order.
func weightsOf(n *network.Network) (all []*float64) {
	for k := range n.Layers {
		l := &n.Layers[k]
		for o := range l.Weights {
			for i := range l.Weights[o] {
				all = append(all, &l.Weights[o][i])
			}
			all = append(all, &l.Bias[o])
		}
	}
	return all
}

func cloneNetwork(n *network.Network) network.Network {
	var c network.Network
	for _, l := range n.Layers {
		copied := network.Layer{Bias: slices.Clone(l.Bias)}
		for _, row := range l.Weights {
			copied.Weights = append(copied.Weights, slices.Clone(row))
		}
		c.Layers = append(c.Layers, copied)
	}
	return c
}

// roundWeights keeps six digits, so that files are short.
func roundWeights(all []*float64) {
	for _, w := range all {
		*w, _ = strconv.ParseFloat(strconv.FormatFloat(*w, 'g', 6, 64), 64)
	}
}

// Run is what comes of a workload with a policy.
func Run(w Workload, seed int64, p policy.Policy) (Outcome, error) {
	c := w.Draw(seed)
	c.Policy = p
	run, err := exact.Run(c)
	if err != nil {
		return Outcome{}, errorSimulating(seed, err)
	}
	met := 0.0
	for i, o := range run.JobOutcomes {
		if o.Finish <= c.Jobs[i].Deadline {
			met++
		}
	}
	return Outcome{run.Summarize().AvgJCT, met / float64(len(c.Jobs))}, nil
}
