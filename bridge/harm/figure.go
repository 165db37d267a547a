// Package harm judges whether a partition fares worse with our plans than it would have with
// Slurm alone. It is pure: what was measured and what was simulated come in as values, and what
// comes out is a verdict with its reasons. Not knowing is never proof: it changes nothing.
package harm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
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

// minApart is how far apart checks must be to count one by one: harm that lasts is meant, and
// not that somebody asked three times.
const minApart = 30 * time.Minute

// DecideDemotion says whether the partition is to be demoted now: when the last checks that could
// tell, as many as the bounds say, all show harm. checks are those since the partition went live
// as it is, or was last cleared, the newest first; what cannot be told says nothing either way.
func DecideDemotion(checks []Check, b Bounds) (d bridge.Demotion, yes bool) {
	var last []Check
	for i := range checks {
		c := &checks[i]
		if c.Verdict == CannotTell || len(last) > 0 && last[len(last)-1].At.Sub(c.At) < minApart {
			continue
		}
		if c.Verdict != Harm {
			break
		}
		if last = append(last, *c); len(last) == b.Checks {
			break
		}
	}
	if !b.Demote || len(last) < b.Checks || checks[0].Verdict != Harm {
		return d, false
	}
	newest, oldest := &last[0], &last[len(last)-1]
	d = bridge.Demotion{Partition: newest.Partition, Since: newest.At, By: GuardName, Why: whyDemoted(newest, oldest, len(last))}
	if b.Lasts > 0 {
		d.Until = newest.At.Add(b.Lasts)
	}
	return d, true
}

// DecideDemotionByTurns is DecideDemotion where a canary's candidate and the incumbent take turns:
// only checks of the policy that the newest check is of count, of whatever days. candidate is that
// policy if it is the candidate, which is then demoted alone; "": it is the incumbent, or there is no
// canary, and the partition is.
func DecideDemotionByTurns(checks []Check, candidate string, b Bounds) (d bridge.Demotion, yes bool) {
	var mine []Check
	others, harmful := 0, 0
	for i := range checks {
		switch c := &checks[i]; {
		case c.Policy == checks[0].Policy:
			mine = append(mine, *c)
		case c.Verdict != CannotTell:
			others++
			if c.Verdict == Harm {
				harmful++
			}
		}
	}
	if d, yes = DecideDemotion(mine, b); !yes || candidate == "" {
		return d, yes
	}
	d.Candidate = candidate
	d.Why += fmt.Sprintf(" These are checks of the days of the candidate; of those of the incumbent that could tell (%d), %d showed harm.", others, harmful)
	return d, true
}

// GuardName is who demotes by itself.
const GuardName = "the harm guard"

// maxReasons is how many reasons a demotion names.
const maxReasons = 3

func whyDemoted(newest, oldest *Check, count int) string {
	reasons := newest.Reasons[:min(len(newest.Reasons), maxReasons)]
	said := strings.Join(slices.Clone(reasons), " ")
	if count > 1 {
		said = fmt.Sprintf("%s in a row, over %s, showed harm. The last: %s", policy.FormatCount(count, "check"), policy.FormatDuration(newest.At.Sub(oldest.At)), said)
	}
	return said
}
