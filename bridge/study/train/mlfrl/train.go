// Package mlfrl teaches the network of policy mlf-rl in the exact simulator: first to score jobs as MLF-H ranks
// them, then by evolution strategies (T. Salimans et al., "Evolution Strategies as a Scalable Alternative to
// Reinforcement Learning", 2017), which try drawn changes of the weights and follow those that pay. The same settings give
// the same weights, to the bit, on the same kind of processor.
package mlfrl

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"fairbridge/bridge/study/learner"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
)

// Settings are how a network is trained.
type Settings struct {
	Seed          int64
	Source        learner.Source
	ImitationRuns int // simulations of the teacher
	Rounds        int // of improvement; 0: imitation only
	Pairs         int // of opposite changes tried in each round
	RunsPerChange int // workloads on which each is tried
}

// What is not to be set: as the shipped weights were trained.
const (
	hiddenWidth = 16 // of the one hidden layer
	spread      = .2 // standard deviation of a change, relative to what weights are
	learnRate   = .5 // how far weights go along the changes of a round, weighed by what they gain
)

// trainer is a training under way.
type trainer struct {
	Settings
	source    *rand.PCG
	random    *rand.Rand // by source
	net, best network.Network
	most      float64 // reward of the best
	judges    []trial // workloads on which weights are judged, and no change is tried
	imitated  bool
	round     int // of improvement, done
}

func newTrainer(s Settings) *trainer {
	source := rand.NewPCG(uint64(s.Seed), 61)
	return &trainer{Settings: s, source: source, random: rand.New(source)}
}

// Step implements learner.Training: first the imitation, then a round of improvement each.
func (t *trainer) Step() (said string, done bool, err error) {
	if !t.imitated {
		if said, err = t.imitate(); err != nil {
			return "", false, err
		}
		t.best, t.imitated = t.net.Clone(), true
		if t.Rounds == 0 {
			return said, true, nil
		}
		if t.judges, err = t.newTrials(3 * t.RunsPerChange); err != nil {
			return "", false, err
		}
		t.most, err = t.rewardWith(nil, 0, t.judges)
		return fmt.Sprintf("%s; reward %.4f on workloads that it does not learn from", said, t.most), false, err
	}
	if err := t.improve(); err != nil {
		return "", false, err
	}
	t.round++
	said, err = t.judge()
	return said, t.round >= t.Rounds, err
}

// Weights implements learner.Training: those that were judged best, be they those of imitation.
func (t *trainer) Weights() ([]byte, error) {
	w := network.Weights{Version: policymlfrl.WeightsVersion, Features: mlfs.FeatureNames(), Training: t.describe(), Network: t.best}
	return w.Encode()
}

// describe says how weights were trained.
func (s *Settings) describe() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return map[string]string{
		"seed": strconv.FormatInt(s.Seed, 10), "source": s.Source.Name(),
		"imitation_runs": strconv.Itoa(s.ImitationRuns), "rounds": strconv.Itoa(s.Rounds), "pairs": strconv.Itoa(s.Pairs), "runs_per_change": strconv.Itoa(s.RunsPerChange),
		"spread": number(spread), "rate": number(learnRate), "teacher": "MLF-H",
	}
}

// nextSeed draws a workload to learn from.
func (t *trainer) nextSeed() int64 { return learner.TrainingSeed(t.random.Int64N(1_000_000)) }
