package belief

import (
	"fmt"
	"math"
	"slices"

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
