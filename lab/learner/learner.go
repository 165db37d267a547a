// Package learner is how policies that learn are taught in the simulator, in the same way for all of them: what
// a policy has of its own to say is a Learner, from which the command train makes its flags, its progress, its checkpoints and the
// table of how well the weights do. The same settings give the same weights, to the bit, on the same kind of processor, whether
// the training was cut off or not.
package learner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/study"
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

// windows are parts of a trace, so many jobs that came one after the other.
type windows struct {
	*Learner
	toLearn, toTry *study.Scenario
	values         Values
}

// learnPart is the part of a trace, its first, that is learnt from; weights are tried on the rest.
const learnPart = .8

// NewTraceSource returns workloads that are windows of a trace, drawn by seed, of the numbers' jobs, brought to their load: those to
// learn from are of its first four fifths, those on which weights are tried of its last. Its jobs report how far they are.
func (l *Learner) NewTraceSource(s *study.Scenario, v Values) (Source, error) {
	cut, learn, try := int(learnPart*float64(len(s.Jobs))), *s, *s
	learn.Jobs, try.Jobs = s.Jobs[:cut], s.Jobs[cut:]
	w := windows{l, &learn, &try, v}
	for _, seed := range []int64{1, TrainingSeed(0)} {
		if _, err := w.Draw(seed); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Name implements Source.
func (w windows) Name() string {
	return fmt.Sprintf("windows of %s: %g jobs, %d GPUs, load %g", w.toLearn.Name, w.values["jobs"], w.toLearn.CountGPUs(), w.values["load"])
}

// Draw implements Source.
func (w windows) Draw(seed int64) (exact.Config, error) {
	from := w.toLearn
	if seed <= lastTrialSeed {
		from = w.toTry
	}
	part, err := from.TakeWindow(int(w.values["jobs"]), seed)
	if err == nil {
		part, err = part.ScaleToLoad(w.values["load"])
	}
	if err != nil {
		return exact.Config{}, fmt.Errorf("drawing a workload to learn from: %w", err)
	}
	study.AllReport.SetReports(part.Jobs)
	c := exact.Config{Jobs: part.Jobs, Nodes: part.Nodes, Accounts: part.Accounts, SpeedTables: part.SpeedTables, OmitsReasons: true,
		Clock: exact.NewEventClock(time.Minute, time.Minute, 30*time.Second)}
	if w.ForTrace != nil {
		w.ForTrace(&c, seed)
	}
	return c, nil
}

// Checkpoint is a training that may go on.
type Checkpoint struct {
	Policy   string          `json:"policy"`
	Settings string          `json:"settings"`
	Steps    int             `json:"steps"` // done
	IsDone   bool            `json:"done"`  // there is no step left
	State    json.RawMessage `json:"state"`
}

// Progress is told of a training; both functions may be nil.
type Progress struct {
	Report func(text string)
	// Keep stores a checkpoint after each step. A training that is cut off goes on from the last.
	Keep func(c *Checkpoint) error
}

// Train teaches a policy, from a checkpoint of the same settings where one is given, and returns the weights. Errors are those
// of simulations, of a checkpoint that is of another training, or that the context ended.
func (l *Learner) Train(ctx context.Context, s Settings, from *Checkpoint, p Progress) (weights []byte, err error) {
	c := Checkpoint{Policy: l.Policy, Settings: s.describe()}
	if from != nil {
		if from.Policy != c.Policy || from.Settings != c.Settings {
			return nil, fmt.Errorf("going on with the training of %s (%s): the checkpoint is of %s (%s); give the same settings, or begin anew", c.Policy, c.Settings, from.Policy, from.Settings)
		}
		c = *from
	}
	t, err := l.New(s, c.State)
	if err != nil {
		return nil, fmt.Errorf("beginning the training of %s: %w", l.Policy, err)
	}
	for !c.IsDone {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("training of %s was stopped after %d steps: %w", l.Policy, c.Steps, err)
		}
		var said string
		if said, c.IsDone, err = t.Step(); err != nil {
			return nil, err
		}
		c.Steps++
		if p.Report != nil && said != "" {
			p.Report(said)
		}
		if err := p.keep(&c, t); err != nil {
			return nil, err
		}
	}
	return t.Weights()
}

func (p *Progress) keep(c *Checkpoint, t Training) (err error) {
	if p.Keep == nil {
		return nil
	}
	if c.State, err = t.State(); err != nil {
		return fmt.Errorf("keeping a checkpoint after step %d: %w", c.Steps, err)
	}
	return p.Keep(c)
}
