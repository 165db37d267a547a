package window

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
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

// jobForecast is what is known of a job and expected of it.
type jobForecast struct {
	*engine.Entry
	predict.RemainingWork
	progressShare       float64 // done part of its work, 0 to 1
	progressPerSecond   float64 // what a second adds to it
	fairSeconds         float64 // seconds from arrival to end with an equal share
	ageSeconds          float64 // seconds since its arrival
	longestSecondsLeft  float64 // SecondsLeft and the standard errors that fairness allows for
	originOffsetSeconds float64 // seconds from where time counts to where age and fair do
}

// predictJobs predicts every job, and estimates its fair end anew if jobs came or
// left since.
func (p *typePlanner) predictJobs(shares []JobPlan, changed bool) {
	p.forecasts = make([]jobForecast, len(p.jobs))
	for n, i := range p.jobIndexes {
		e, f, s := p.jobs[n], &p.forecasts[n], &shares[i]
		f.Entry = e
		p.predictJob(f)
		f.longestSecondsLeft = f.SecondsLeft + p.AddedSigmas*f.SecondsLeftSigma
		if changed || s.FairTime.FirstAt.IsZero() {
			s.FairTime = s.FairTime.addEstimate(p.Now, (f.SecondsDone+f.longestSecondsLeft)/p.equalShare())
		}
		f.fairSeconds = s.FairTime.weightedMean(p.Now)
		f.ageSeconds = max(p.Now.Sub(e.Arrive).Seconds(), 0)
		if p.CountFromFirstPlan {
			f.originOffsetSeconds = s.FairTime.FirstAt.Sub(p.originTime).Seconds()
			f.ageSeconds = p.Now.Sub(s.FairTime.FirstAt).Seconds()
		}
		s.SecondsLeft = f.SecondsLeft
	}
}

// predictJob says how far the job is: in epochs where it counts them, else in run
// time; a job of which nothing is known has a window before it.
func (p *typePlanner) predictJob(f *jobForecast) {
	rest, ok := p.Predictor.RemainingWork(f.Training)
	if ok {
		f.RemainingWork = rest
		epochs := float64(f.Training.Epochs)
		f.progressShare = min(float64(f.Training.EpochsDone), epochs-0.5) / epochs
		f.progressPerSecond = 1 / (epochs * rest.SecondsPerEpoch)
		return
	}
	est := predict.Ladder(nil).Predict(p.Round, f.Entry)
	f.SecondsLeft, f.SecondsLeftSigma = est.TimeLeft.Seconds(), est.TimeLeftSigma.Seconds()
	if f.SecondsLeft <= 0 {
		f.SecondsLeft = p.Settings.RoundLength.Seconds() * float64(p.RoundsPlanned)
	}
	f.SecondsDone = f.Ask.GPUs.SecondsForService(f.Attained)
	f.progressShare = f.SecondsDone / (f.SecondsDone + f.SecondsLeft)
	f.progressPerSecond = 1 / (f.SecondsDone + f.SecondsLeft)
}
