package belief

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// Model says how much readings err and how much jobs change. The zero Model believes the latest
// reading.
type Model struct {
	Noise float64       // standard error of a reading, as a part of what is read
	Drift float64       // by how much, 0..1, what a job uses changes in an hour: standard error of a random walk
	Delay time.Duration // how old readings may be
}

const (
	// unknownMean and unknownSigma are what is thought of a job of which nothing is known.
	unknownMean, unknownSigma = 0.5, 0.3
	// kindSigma is how far jobs of one kind are apart.
	kindSigma = 0.08
	// leastRead is the reading below which errors get no smaller.
	leastRead = 0.05
	// saturated is the reading from which on a GPU may be asked for more than it has.
	saturated = 0.95
)

// profileSigma is the standard error of a profile, by its source.
func profileSigma(source string) float64 {
	switch source {
	case "measured":
		return .1
	case "class":
		return .12
	}
	return .15
}

// driftVariance is what a value may have changed by in a time.
func (m Model) driftVariance(passed time.Duration) float64 {
	return m.Drift * m.Drift * max(passed.Hours(), 0)
}

// readingVariance is that of the error of a reading of about so much.
func (m Model) readingVariance(expected float64) float64 {
	sigma := m.Noise * max(expected, leastRead)
	return sigma*sigma + m.driftVariance(m.Delay)
}

// Update takes in what a snapshot shows. It returns what is to be remembered, and the snapshot as policies are to see
// it: of each job that is known well enough what is thought of it, and how sure that is. The snapshot that is given stays as it is.
func (m Model) Update(was State, s *policy.Snapshot) (State, *policy.Snapshot) {
	u := newUpdate(m, was, s)
	u.observeAll()
	return u.remember(), u.tellAll(u.estimateOf)
}

// observeAll takes in all readings.
func (u *update) observeAll() {
	for i := range u.groups {
		u.observe(&u.groups[i])
	}
}

// tellAll returns the snapshot with what is thought of each job.
func (u *update) tellAll(estimateOf func(*policy.Job) estimate) *policy.Snapshot {
	told := *u.snapshot
	told.Jobs = slices.Clone(told.Jobs)
	for i := range told.Jobs {
		tell(&told.Jobs[i], estimateOf(&told.Jobs[i]))
	}
	return &told
}

// estimate is what is thought of one job.
type estimate struct{ mean, variance float64 }

// isKnown reports whether it says more than nothing.
func (e estimate) isKnown() bool { return e.variance < .9*unknownSigma*unknownSigma }

// tell puts what is thought of a job into what a policy sees of it.
func tell(j *policy.Job, e estimate) {
	if !e.isKnown() {
		return
	}
	told := policy.Sharing{AcceptsOtherUsers: true} // what no Sharing stands for
	if j.Sharing != nil {
		told = *j.Sharing
	}
	told.Utilisation, told.UtilisationSigma, told.Source = policy.KnownValue(e.mean), math.Sqrt(e.variance), "belief"
	j.Sharing = &told
	if j.Utilisation.Known {
		j.Utilisation = told.Utilisation
	}
}
