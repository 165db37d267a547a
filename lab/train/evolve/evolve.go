// Package evolve teaches networks that score what a policy chooses from: first to score as a teacher does, then by evolution strategies
// (T. Salimans et al., "Evolution Strategies as a Scalable Alternative to Reinforcement Learning", 2017), which try drawn changes of
// the weights and follow those that pay. The same settings give the same weights, to the bit, on the same kind of processor.
package evolve

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"fairbridge/lab/learner"
	"fairbridge/policy/solve/network"
	"fairbridge/policy/solve/ridge"
)

// Outcome is what came of a workload.
type Outcome struct {
	MeanSeconds float64 `json:"mean_s"` // completion time
	Met         float64 `json:"met"`    // part of the deadlines; 0: there are none
}

// Task is what a network is taught.
type Task struct {
	Features []string
	// Imitate simulates the teacher on workloads, and returns what it had to score and how it did, in numbers about as large as 1.
	Imitate func(seeds []int64) (inputs [][]float64, targets []float64, err error)
	// Simulate is what comes of a workload with a network, or with the teacher: nil.
	Simulate func(seed int64, n *network.Network) (Outcome, error)
	// Reward is how good an outcome is beside that of the teacher on the same workload.
	Reward func(o, teacher Outcome) float64
	// Version is that of the policy's weights, Teacher the teacher's name.
	Version int
	Teacher string
}

// Settings are how a network is trained.
type Settings struct {
	Seed          int64
	SourceName    string
	ImitationRuns int // simulations of the teacher
	Rounds        int // of improvement; 0: imitation only
	Pairs         int // of opposite changes tried in each round
	RunsPerChange int // workloads on which each is tried
}

// Numbers are those of such trainings, for a learner's list.
func Numbers(rounds, pairs, runs, imitationRuns float64) []learner.Number {
	return []learner.Number{
		{Name: "rounds", Help: "rounds of improvement; 0: only as the teacher does", Default: rounds, Most: 100_000, IsWhole: true},
		{Name: "pairs", Help: "changes of the weights, each with its opposite, tried in a round", Default: pairs, Least: 1, Most: 1000, IsWhole: true},
		{Name: "runs", Help: "simulations of each change", Default: runs, Least: 1, Most: 100, IsWhole: true},
		{Name: "imitation-runs", Help: "simulations of the teacher to learn from", Default: imitationRuns, Least: 1, Most: 1000, IsWhole: true},
	}
}

// NewSettings are those that a learner's settings give for Numbers.
func NewSettings(s learner.Settings) Settings {
	whole := func(name string) int { return int(s.Values[name]) }
	return Settings{Seed: s.Seed, SourceName: s.Source.Name(), Rounds: whole("rounds"), Pairs: whole("pairs"), RunsPerChange: whole("runs"), ImitationRuns: whole("imitation-runs")}
}

// What is not to be set: as shipped weights were trained.
const (
	hiddenWidth = 16 // of the one hidden layer
	spread      = .2 // standard deviation of a change, relative to what weights are
	learnRate   = .5 // how far weights go along the changes of a round, weighed by what they gain
)

// Trainer is a training under way.
type Trainer struct {
	Task
	Settings
	source *rand.PCG
	random *rand.Rand // by source
	state
}

// state is what a training goes on from.
type state struct {
	Chance   []byte          `json:"chance"`
	Net      network.Network `json:"network"`
	Best     network.Network `json:"best"`
	Most     float64         `json:"most"`   // reward of the best
	Judges   []trial         `json:"judges"` // workloads on which weights are judged, and no change is tried
	Imitated bool            `json:"imitated"`
	Round    int             `json:"round"` // of improvement, done
}

// NewTrainer begins a training, or goes on from what State returned; nil: it begins.
func NewTrainer(task Task, s Settings, from []byte) (*Trainer, error) {
	source := rand.NewPCG(uint64(s.Seed), 61)
	t := &Trainer{Task: task, Settings: s, source: source, random: rand.New(source)}
	if from == nil {
		return t, nil
	}
	if err := json.Unmarshal(from, &t.state); err != nil {
		return nil, fmt.Errorf("reading the state of a training: %w", err)
	}
	if err := source.UnmarshalBinary(t.Chance); err != nil {
		return nil, fmt.Errorf("reading the state of a training: it is not whole (%w)", err)
	}
	return t, nil
}

// State implements learner.Training.
func (t *Trainer) State() (raw []byte, err error) {
	if t.Chance, err = t.source.MarshalBinary(); err != nil {
		return nil, err
	}
	return json.Marshal(t.state)
}

// Step implements learner.Training: first the imitation, then a round of improvement each.
func (t *Trainer) Step() (said string, done bool, err error) {
	if t.Imitated {
		if err := t.improve(); err != nil {
			return "", false, err
		}
		t.Round++
		said, err = t.judge()
		return said, t.Round >= t.Rounds, err
	}
	if said, err = t.imitate(); err != nil {
		return "", false, err
	}
	t.Best, t.Imitated = t.Net.Clone(), true
	if t.Rounds == 0 {
		return said, true, nil
	}
	if t.Judges, err = t.newTrials(3 * t.RunsPerChange); err != nil {
		return "", false, err
	}
	t.Most, err = t.rewardWith(nil, 0, t.Judges)
	return fmt.Sprintf("%s; reward %.4f on workloads that it does not learn from", said, t.Most), false, err
}

// Weights implements learner.Training: those that were judged best, be they those of imitation.
func (t *Trainer) Weights() ([]byte, error) {
	w := network.Weights{Version: t.Version, Features: t.Features, Training: t.Describe(), Network: t.Best}
	return w.Encode()
}

// Describe says how weights are trained.
func (t *Trainer) Describe() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return map[string]string{
		"seed": strconv.FormatInt(t.Seed, 10), "source": t.SourceName,
		"imitation_runs": strconv.Itoa(t.ImitationRuns), "rounds": strconv.Itoa(t.Rounds), "pairs": strconv.Itoa(t.Pairs), "runs_per_change": strconv.Itoa(t.RunsPerChange),
		"spread": number(spread), "rate": number(learnRate), "teacher": t.Teacher,
	}
}

// nextSeed draws a workload to learn from.
func (t *Trainer) nextSeed() int64 { return learner.TrainingSeed(t.random.Int64N(1_000_000)) }

// imitate teaches the network to score as the teacher does: its hidden layer is drawn and stays, and the weights above it
// are those of least squares.
func (t *Trainer) imitate() (said string, err error) {
	seeds := make([]int64, t.ImitationRuns)
	for i := range seeds {
		seeds[i] = t.nextSeed()
	}
	inputs, targets, err := t.Imitate(seeds)
	if err != nil {
		return "", err
	}
	if len(inputs) == 0 {
		return "", fmt.Errorf("imitating %s: it had nothing to choose in %d simulations; give it more jobs", t.Teacher, len(seeds))
	}
	t.Net = t.newNetwork()
	var sums ridge.Sums
	for i, x := range inputs {
		sums = sums.Add(append(t.Net.Layers[0].Outputs(x, true), 1), targets[i], 1)
	}
	w := sums.Solve(make([]float64, hiddenWidth+1), 1e-3)
	top := &t.Net.Layers[1]
	top.Weights[0], top.Bias[0] = slices.Clone(w[:hiddenWidth]), w[hiddenWidth]
	return fmt.Sprintf("imitation: of %d scores, %.1f %% of pairs are in their order", len(targets), 100*t.agreement(inputs, targets)), nil
}

// newNetwork draws the hidden layer; the output is 0.
func (t *Trainer) newNetwork() network.Network {
	hidden := network.Layer{Bias: make([]float64, hiddenWidth)}
	for k := range hiddenWidth {
		row := make([]float64, len(t.Features))
		for i := range row {
			row[i] = t.random.NormFloat64()
		}
		hidden.Weights, hidden.Bias[k] = append(hidden.Weights, row), .5*t.random.NormFloat64()
	}
	return network.Network{Layers: []network.Layer{hidden, {Weights: [][]float64{make([]float64, hiddenWidth)}, Bias: []float64{0}}}}
}

// agreement is which part of drawn pairs the network scores in the teacher's order.
func (t *Trainer) agreement(inputs [][]float64, targets []float64) float64 {
	same, all := 0.0, 0.0
	for range 20_000 {
		a, b := t.random.IntN(len(inputs)), t.random.IntN(len(inputs))
		if targets[a] == targets[b] {
			continue
		}
		if all++; (t.Net.Forward(inputs[a]) > t.Net.Forward(inputs[b])) == (targets[a] > targets[b]) {
			same++
		}
	}
	return same / max(all, 1)
}
