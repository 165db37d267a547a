// Package symphonynet teaches the network of policy symphony-net in the exact simulator, which knows what jobs truly use of their
// GPUs: to correct what the filter believes of counters that err, fail and come late, so that the squares of what is left become
// small. The same settings give the same weights, to the bit, on the same kind of processor.
package symphonynet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"fairbridge/lab/learner"
	"fairbridge/lab/train/gradient"
	"fairbridge/policy/belief"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
)

// Settings are how a network is trained.
type Settings struct {
	Seed   int64
	Source learner.Source
	Rounds int // a workload each
	Turns  int // times that the samples of a workload are learnt
}

// What is not to be set: as the shipped weights were trained.
const (
	hiddenWidth = 16
	learnRate   = 3e-3 // step of Adam in the first round; in the last it is a tenth
	batchSize   = 64
	judgedEvery = 5 // rounds, after which weights are judged
	judgeCount  = 2 // workloads
)

// trainer is a training under way.
type trainer struct {
	Settings
	source    *rand.PCG
	random    *rand.Rand // by source
	net, best network.Network
	adam      *gradient.Adam
	least     float64 // error of the best, over the filter's
	round     int     // done
}

func newTrainer(s Settings) *trainer {
	source := rand.NewPCG(uint64(s.Seed), 62)
	t := &trainer{Settings: s, source: source, random: rand.New(source), least: 1}
	t.net = gradient.DrawNetwork(t.random, len(belief.FeatureNames()), hiddenWidth, hiddenWidth, 1)
	t.adam = gradient.NewAdam(&t.net)
	t.best = silent(&t.net)
	return t
}

// silent is a network that corrects nothing: where none is better, the filter is believed.
func silent(n *network.Network) network.Network {
	c := n.Clone()
	for _, v := range c.Parameters() {
		*v = 0
	}
	return c
}

// Step implements learner.Training: a workload, and after some of them the judgement.
func (t *trainer) Step() (said string, done bool, err error) {
	before, after, err := t.learn()
	if err != nil {
		return "", false, err
	}
	t.round++
	done = t.round >= t.Rounds
	said = fmt.Sprintf("round %d of %d: the error is %.4f, the filter's %.4f", t.round, t.Rounds, after, before)
	if t.round%judgedEvery != 0 && !done {
		return said, false, nil
	}
	ratio, err := t.judge()
	if ratio < t.least {
		t.best, t.least = t.net.Clone(), ratio
	}
	return fmt.Sprintf("%s; %.4f of the filter's on workloads that it does not learn from, at least %.4f", said, ratio, t.least), done, err
}

// scheduler is who schedules the workload of a round: jobs alone on their GPUs and jobs that share them are learnt from.
func scheduler(round int) string { return [...]string{"symphony", "multifactor"}[round%2] }

// learn draws a workload and goes through its samples. It returns the errors of the filter, and of the network in the last turn.
func (t *trainer) learn() (filter, learnt float64, err error) {
	seed := learner.TrainingSeed(t.random.Int64N(1_000_000))
	c, err := t.Source.Draw(seed)
	if err != nil {
		return 0, 0, err
	}
	samples, err := draw(c, seed, scheduler(t.round))
	if err != nil || len(samples) == 0 {
		return 0, 0, err
	}
	rate := learnRate * math.Pow(.1, float64(t.round)/float64(max(t.Rounds-1, 1)))
	for range t.Turns {
		t.random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		filter, learnt = 0, 0
		for i := range samples {
			filter += square(samples[i].filter - samples[i].truth)
			learnt += t.learnSample(&samples[i])
			if i%batchSize == batchSize-1 {
				t.adam.Step(rate)
			}
		}
	}
	root := func(sum float64) float64 { return math.Sqrt(sum / float64(len(samples))) }
	return root(filter), root(learnt), nil
}

// learnSample adds a sample to the gradient, and returns the square of the error.
func (t *trainer) learnSample(s *sample) float64 {
	part := math.Tanh(t.net.Forward(s.features))
	off := (s.filter + maxDifference*part - s.truth) / maxDifference
	t.adam.Add(s.features, off*(1-part*part)/batchSize)
	return square(off * maxDifference)
}

// judge is the network's error over the filter's on workloads that no round draws, jobs alone and jobs that share.
func (t *trainer) judge() (ratio float64, err error) {
	for i := range judgeCount {
		seed := learner.TrainingSeed(1_000_000 + int64(i))
		c, err := t.Source.Draw(seed)
		if err != nil {
			return 0, err
		}
		e, err := MeasureErrors(c, seed, scheduler(i), &t.net, nil)
		if err != nil {
			return 0, err
		}
		ratio += e.Network / e.Filter / judgeCount
	}
	return ratio, nil
}

func square(x float64) float64 { return x * x }

// Weights implements learner.Training: those that were judged best; where none was better than the filter, they correct nothing.
func (t *trainer) Weights() ([]byte, error) {
	w := network.Weights{Version: policynet.WeightsVersion, Features: belief.FeatureNames(), Training: t.describe(), Network: t.best}
	return w.Encode()
}

// describe says how weights were trained.
func (s *Settings) describe() map[string]string {
	return map[string]string{
		"seed": strconv.FormatInt(s.Seed, 10), "source": s.Source.Name(), "rounds": strconv.Itoa(s.Rounds), "turns": strconv.Itoa(s.Turns),
		"rate": strconv.FormatFloat(learnRate, 'g', -1, 64), "teacher": "the filter, and what jobs truly use",
	}
}
