// Package learner is how policies that learn are taught in the simulator, in the same way for all of them: what
// a policy has of its own to say is a Learner, from which the command train makes its flags, its progress, its checkpoints and the
// table of how well the weights do. The same settings give the same weights, to the bit, on the same kind of processor, whether
// the training was cut off or not.
package learner

import (
	"fmt"
	"maps"
	"slices"

	"fairbridge/bridge/study/exact"
	"fairbridge/policy"
)

// Learner is what there is to know of teaching one policy.
type Learner struct {
	Policy    string   // its name in the catalogue
	About     string   // how it learns, in sentences
	Numbers   []Number // that its training has, besides those of every one (SharedNumbers)
	Baselines string   // policies that its weights are compared with besides its teacher, as command lines write them
	// Draw makes the workload of a seed where no trace is given, from the numbers jobs, gpus and load.
	Draw func(values Values, seed int64) exact.Config
	// ForTrace changes a configuration made of a trace to what the policy is for; nil: nothing.
	ForTrace func(c *exact.Config, seed int64)
	// Surround puts between a simulation and a policy what the simulation has not by itself, such as counters that err; nil: nothing.
	Surround func(p policy.Policy, c *exact.Config, seed int64) policy.Policy
	// Errors is what weights are judged by besides completion times; nil: nothing.
	Errors *ErrorFigure
	// New begins a training. It goes on from what State of one with the same settings returned; nil: it
	// begins anew.
	New func(s Settings, state []byte) (Training, error)
	// NewPolicy returns the policy as it decides by weights, with the parameters of its simulator.
	NewPolicy func(weights []byte) (policy.Policy, error)
}

// ErrorFigure is how far off what weights infer is, over what their teacher infers: below 1 they do better.
type ErrorFigure struct {
	Title   string
	Measure func(weights []byte, c exact.Config, seed int64) (float64, error)
}

// Number is a number that trainings have: a flag.
type Number struct {
	Name, Help           string
	Default, Least, Most float64
	IsWhole              bool
}

// Values are numbers by name.
type Values map[string]float64

// Settings are with what is taught.
type Settings struct {
	Seed   int64
	Values Values
	Source Source
}

// Source is where workloads to learn from are from. The same seed has the same.
type Source interface {
	Draw(seed int64) (exact.Config, error)
	Name() string
}

// Training is one under way.
type Training interface {
	// Step does the next part, and says what it came to. done: there is none after it.
	Step() (said string, done bool, err error)
	// State is what is needed to go on after a step.
	State() ([]byte, error)
	// Weights returns those so far, as the policy reads them.
	Weights() ([]byte, error)
}

// SharedNumbers are those of every training with the learner's own defaults for jobs, gpus and load.
func SharedNumbers(jobs, gpus, load float64) []Number {
	return []Number{
		{Name: "jobs", Help: "jobs of a workload it learns from", Default: jobs, Least: 2, Most: 10_000, IsWhole: true},
		{Name: "gpus", Help: "GPUs they are drawn for; of a trace --cluster says that", Default: gpus, Least: 1, Most: 4096, IsWhole: true},
		{Name: "load", Help: "work that arrives, as a part of what the GPUs can do", Default: load, Least: .01, Most: 10},
	}
}

// Defaults are the default values of the numbers.
func (l *Learner) Defaults() Values {
	v := Values{}
	for _, n := range l.Numbers {
		v[n.Name] = n.Default
	}
	return v
}

// DrawnSource returns the learner's own workloads.
func (l *Learner) DrawnSource(v Values) Source { return drawn{l, maps.Clone(v)} }

type drawn struct {
	*Learner
	values Values
}

// Draw implements Source.
func (d drawn) Draw(seed int64) (exact.Config, error) { return d.Learner.Draw(d.values, seed), nil }

// Name implements Source.
func (d drawn) Name() string {
	return fmt.Sprintf("drawn: %g jobs, %g GPUs, load %g", d.values["jobs"], d.values["gpus"], d.values["load"])
}

// describe says with what is taught, for checkpoints: those of other settings are not gone on from.
func (s *Settings) describe() string {
	text := fmt.Sprintf("seed %d; %s", s.Seed, s.Source.Name())
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		text += fmt.Sprintf("; %s %g", name, s.Values[name])
	}
	return text
}
