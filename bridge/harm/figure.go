// Package harm judges whether a partition fares worse with our plans than it would have with
// Slurm alone. It is pure: what was measured and what was simulated come in as values, and what
// comes out is a verdict with its reasons. Not knowing is never proof: it changes nothing.
package harm

import (
	"math"
	"time"

	"fairbridge/bridge"
)

// Kind is what a figure measures; more is worse.
type Kind string

// The kinds.
const (
	Wait     Kind = "wait"     // mean wait in seconds, until the moment of the check
	Slowdown Kind = "slowdown" // mean bounded slowdown, likewise
	Idle     Kind = "idle"     // percent of the GPUs that stood idle while jobs waited
)

// Claim is what may be said of a figure.
type Claim string

// The claims there are.
const (
	Harm       Claim = "harm"        // worse than the bound allows, beyond doubt
	NoHarm     Claim = "no harm"     // within the bound, beyond doubt
	CannotTell Claim = "cannot tell" // too few jobs, or the simulation may be too far off
)

// Figure is one measure of some jobs: as it was and as Slurm alone would have made it.
type Figure struct {
	Kind     Kind    `json:"kind"`
	Account  string  `json:"account,omitempty"`
	Size     string  `json:"size,omitempty"` // of jobs, in GPUs
	JobCount int     `json:"jobs"`
	Live     float64 `json:"live"`        // measured
	Alone    float64 `json:"slurm_alone"` // simulated
	OwnError float64 `json:"own_error"`   // simulated less measured, of what was done
	Band     float64 `json:"band"`        // how far Alone may be off by chance, on either side; see BandOf
	Bound    float64 `json:"bound"`       // how much more than Alone is allowed
	Claim    Claim   `json:"claim"`
}

// isOfAll reports whether the figure is of all jobs.
func (f *Figure) isOfAll() bool { return f.Account == "" && f.Size == "" }

// Doubt is by how much less the figure's difference from Slurm alone may be, by chance and by as much as the
// simulation of what was done falls short of what happened: what it lacks there it lacks under
// Slurm alone. Where the figure is better than under Slurm alone, by how much more.
func (f *Figure) Doubt() float64 {
	if f.Live > f.Alone {
		return f.Band + f.Live - f.least()
	}
	return f.Band + f.most() - f.Live
}

// least is what both happened and is simulated of what was done, at least.
func (f *Figure) least() float64 { return f.Live + min(f.OwnError, 0) }

// most is the most that happened or is simulated of what was done.
func (f *Figure) most() float64 { return f.Live + max(f.OwnError, 0) }

// judge sets the bound and the claim. Harm must show both in what happened and in the simulation of
// it: what is not simulated makes jobs wait whoever decides, and is no harm of ours. A
// simulation of what was done that is worse than what happened speaks for nobody.
func (f *Figure) judge(b *Bounds, stops int) {
	f.Bound = f.allowed(b, stops)
	switch {
	case f.JobCount < b.Jobs || math.IsNaN(f.Live-f.Alone+f.OwnError+f.Band):
		f.Claim = CannotTell
	case f.least()-f.Alone-f.Band > f.Bound:
		f.Claim = Harm
	case f.most()-f.Alone+f.Band <= f.Bound:
		f.Claim = NoHarm
	default:
		f.Claim = CannotTell
	}
}

// leastHarm is how much longer a mean wait, in seconds, is never harm: a minute, in which no loop may even have run.
const leastHarm = 60

// allowed is how much more than under Slurm alone the figure may be.
func (f *Figure) allowed(b *Bounds, stops int) float64 {
	var most float64
	switch f.Kind {
	case Wait:
		if f.isOfAll() && stops > b.Stops {
			return leastHarm
		}
		most = max(f.Alone*b.WaitPercent/100, b.WaitFloor.Seconds())
	case Slowdown:
		most = f.Alone * b.SlowdownPercent / 100
	case Idle:
		return b.IdlePercent
	}
	switch {
	case f.Account != "":
		most *= b.GroupFactor
	case f.Size != "":
		most *= max(b.GroupFactor/2, 1)
	}
	return most
}

// Measurement is what a check is made of.
type Measurement struct {
	Since     time.Time   `json:"since"`
	Until     time.Time   `json:"until"`
	Policy    string      `json:"policy"` // that was live, with its parameters
	Mode      bridge.Mode `json:"mode"`
	JobCount  int         `json:"jobs"` // that arrived meanwhile, those that wait still among them
	StopCount int         `json:"stops"`
	SeedCount int         `json:"seeds"`
	Figures   []Figure    `json:"figures"`
	Remarks   []string    `json:"not_simulated"`
}
