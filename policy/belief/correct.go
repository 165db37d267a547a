// Package belief is what is thought of how much of its GPUs each job uses. Counters err, come late and
// fail; a policy that puts jobs beside each other by a single reading takes noise for news. Here
// readings and profiles pass through a linear-Gaussian filter first: what a job uses wanders slowly, every
// reading counts by how sure it is, and what a whole node reads tells of a job that has no reading.
//
// It serves Symphony (S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven
// Reinforcement Learning for Efficient Schedules in Heterogeneous Clusters", ICML 2020), which infers hidden
// utilisation from noisy counters before it decides, and any policy that packs by utilisation.
package belief

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// An Estimator has learnt where the filter errs.
type Estimator interface {
	// Correct says by which part, -1..1, of the most that it may what the filter believes of a job is to be changed. It is
	// given what FeatureNames names.
	Correct(j *policy.Job, features []float64) float64
}

// Corrector changes what the filter believes by an Estimator, and never by more than MaxDifference. Where the Estimator gives
// no number, or has erred more than the filter, the filter is believed as it is.
type Corrector struct {
	Estimator
	Name          string  // of the Estimator, for reasons
	MaxDifference float64 // 0..1, of the share of the time in which GPUs compute
}

// Score is how well readings were foretold, of jobs alone on their GPUs. Readings of GPUs that are nearly full are cut off at 1 and say
// little of who is right. Older readings count less.
type Score struct {
	Readings  float64 `json:"n"`
	Filter    float64 `json:"filter"`    // sum of squared errors
	Corrected float64 `json:"corrected"` // with corrections
	IsWorse   bool    `json:"worse"`     // the corrections are not believed
}

const (
	scoreMemory   = 8000. // readings that count
	leastReadings = 2000. // before which none is judged
	mostScored    = .6    // of jobs that are believed to use more none is scored
	worseBy       = 1.02  // from which on the filter is believed
)

// add compares what was believed of a job with a reading of it that was not known then.
func (s *Score) add(t Tracked, reading float64) {
	if t.Filter > mostScored {
		return
	}
	const keep = 1 - 1/scoreMemory
	s.Filter = keep*s.Filter + (reading-t.Filter)*(reading-t.Filter)
	s.Corrected = keep*s.Corrected + (reading-t.Corrected)*(reading-t.Corrected)
	s.Readings = keep*s.Readings + 1
}

// judge decides whether corrections are believed: no longer where they err more by a fiftieth, and again once they do not.
func (s *Score) judge() {
	if s.Readings < leastReadings {
		return
	}
	if s.Corrected > worseBy*s.Filter {
		s.IsWorse = true
	} else if s.Corrected <= s.Filter {
		s.IsWorse = false
	}
}

// UpdateCorrected is Update with corrections. source says whose belief the snapshot holds, for reasons.
func (m Model) UpdateCorrected(was State, track Track, s *policy.Snapshot, c Corrector) (next State, tracked Track, told *policy.Snapshot, source string) {
	u := newUpdate(m, was, s)
	u.observeAll()
	next, tracked = u.remember(), u.track(track)
	tracked.Score.judge()
	corrected, areNumbers := c.correctAll(u, tracked)
	estimateOf, source := corrected, c.Name
	switch {
	case !areNumbers:
		estimateOf, source = u.estimateOf, "the filter, since a correction by "+c.Name+" is no number"
	case tracked.Score.IsWorse:
		score := &tracked.Score
		root := func(sum float64) float64 { return math.Sqrt(sum / score.Readings) }
		estimateOf, source = u.estimateOf, fmt.Sprintf("the filter, since readings were off by %.3f of what %s foretold and by %.3f of what the filter did", root(score.Corrected), c.Name, root(score.Filter))
	}
	for i := range tracked.Jobs {
		t := &tracked.Jobs[i]
		j := s.Job(t.ID)
		t.Filter = u.estimateOf(j).mean
		if t.Corrected = t.Filter; areNumbers {
			t.Corrected = corrected(j).mean
		}
	}
	return next, tracked, u.tellAll(estimateOf), source
}

// correctAll corrects what the filter believes of all jobs that it knows something of.
func (c Corrector) correctAll(u *update, t Track) (estimateOf func(*policy.Job) estimate, areNumbers bool) {
	corrected := map[policy.JobID]estimate{}
	for i := range u.snapshot.Jobs {
		j := &u.snapshot.Jobs[i]
		e := u.estimateOf(j)
		if !e.isKnown() {
			continue
		}
		var of *Tracked
		if k, found := slices.BinarySearchFunc(t.Jobs, j.ID, func(t Tracked, id policy.JobID) int { return int(t.ID - id) }); found {
			of = &t.Jobs[k]
		}
		part := c.Correct(j, u.features(j, e, of))
		if math.IsNaN(part) {
			return nil, false
		}
		e.mean = max(0, min(e.mean+c.MaxDifference*max(-1, min(part, 1)), 1))
		corrected[j.ID] = e
	}
	return func(j *policy.Job) estimate {
		if e, ok := corrected[j.ID]; ok {
			return e
		}
		return u.estimateOf(j)
	}, true
}

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
