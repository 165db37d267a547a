package window

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Plan is a plan of rounds. It is kept in Plan.Memo.
type Plan struct {
	FirstMadeAt time.Time `json:"origin"` // when the first one was made
	MadeAt      time.Time `json:"made"`   // its first round
	Jobs        []JobPlan `json:"jobs"`   // by ID
}

// JobPlan is what one job gets of the window, and its fairness so far.
type JobPlan struct {
	ID          policy.JobID `json:"id"`
	Type        string       `json:"type,omitempty"` // of the GPUs it was planned on
	RoundBits   uint64       `json:"rounds"`         // bit t: round t
	Weight      float64      `json:"weight"`
	SecondsLeft float64      `json:"left"` // seconds, predicted when the window was made
	FairTime    FairTime     `json:"fair"`
}

// findJobPlan returns what the job gets, or nil.
func (w *Plan) findJobPlan(id policy.JobID) *JobPlan {
	if w == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(w.Jobs, id, func(s JobPlan, id policy.JobID) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return nil
	}
	return &w.Jobs[i]
}

// FairTime is the time from arrival to end with an equal share, in seconds, as
// it was estimated from time to time. Each estimate holds until the next.
type FairTime struct {
	FirstAt       time.Time `json:"since"`  // the first
	WeightedSum   float64   `json:"sum"`    // of those before the latest, times the seconds they held
	LatestSeconds float64   `json:"latest"` // the latest
	LatestAt      time.Time `json:"at"`
}

// addEstimate replaces the latest estimate.
func (f FairTime) addEstimate(now time.Time, estimate float64) FairTime {
	if f.FirstAt.IsZero() {
		return FairTime{FirstAt: now, LatestSeconds: estimate, LatestAt: now}
	}
	f.WeightedSum += f.LatestSeconds * now.Sub(f.LatestAt).Seconds()
	f.LatestSeconds, f.LatestAt = estimate, now
	return f
}

// weightedMean is nine tenths of the mean over time and one of the latest estimate.
func (f FairTime) weightedMean(now time.Time) float64 {
	held := now.Sub(f.FirstAt).Seconds()
	if held <= 0 {
		return f.LatestSeconds
	}
	mean := (f.WeightedSum + f.LatestSeconds*now.Sub(f.LatestAt).Seconds()) / held
	return 0.9*mean + 0.1*f.LatestSeconds
}

// countRounds returns the rounds between two times. Rounds may be a little short.
func (o *Settings) countRounds(from, to time.Time) int {
	return int(math.Round(to.Sub(from).Seconds() / o.RoundLength.Seconds()))
}

// stillHolds reports whether the window still holds for the jobs, sorted by ID.
// changed says that it does not because jobs came or left.
func (o *Settings) stillHolds(w *Plan, now time.Time, jobs []*engine.Entry) (holds, changed bool) {
	if w == nil || !slices.EqualFunc(w.Jobs, jobs, func(s JobPlan, e *engine.Entry) bool { return s.ID == e.ID }) {
		return false, true
	}
	made, at := o.countRounds(w.FirstMadeAt, w.MadeAt), o.countRounds(w.FirstMadeAt, now)
	return at-made >= 0 && at-made < o.RoundsPlanned && at/o.ReplanAfterRounds == made/o.ReplanAfterRounds, false
}

// newCandidate is the job in a round of the window.
func (s *JobPlan) newCandidate(e *engine.Entry, round int) roundCandidate {
	c := roundCandidate{Entry: e, JobPlan: s, nextPlannedRound: -1}
	if ahead := s.RoundBits >> min(max(round, 0), 63); ahead != 0 {
		c.nextPlannedRound = bits.TrailingZeros64(ahead)
		c.isPlanned = c.nextPlannedRound == 0
	}
	return c
}
