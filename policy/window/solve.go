// Package window plans some rounds ahead who runs in which of them, and keeps
// to the plan until jobs come or go.
package window

import (
	"math"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/knapsack"
)

// planFor returns the window that holds for the jobs, sorted by ID: the last one,
// or a new one.
func (p *Planner) planFor(r *engine.Round, jobs []*engine.Entry) *Plan {
	holds, changed := p.stillHolds(p.LastPlan, r.Now, jobs)
	if holds {
		return p.LastPlan
	}
	next := &Plan{FirstMadeAt: r.Now, MadeAt: r.Now, Jobs: make([]JobPlan, len(jobs))}
	if p.LastPlan != nil {
		next.FirstMadeAt = p.LastPlan.FirstMadeAt
	}
	for i, e := range jobs {
		next.Jobs[i].ID = e.ID
		if s := p.LastPlan.findJobPlan(e.ID); s != nil {
			next.Jobs[i].FairTime = s.FairTime
		}
	}
	for _, t := range groupJobsByType(r, jobs) {
		tp := typePlanner{Settings: p.Settings, Round: r, typeWithJobs: t, originTime: next.FirstMadeAt}
		tp.predictJobs(next.Jobs, changed)
		tp.planRounds(next.Jobs)
	}
	return next
}

// typePlanner divides the rounds of one GPU type.
type typePlanner struct {
	*Settings
	*engine.Round
	typeWithJobs
	originTime time.Time
	forecasts  []jobForecast
}

// equalShare is the part of its GPUs that each job has in an equal division.
func (p *typePlanner) equalShare() float64 {
	return min(1, float64(max(p.gpuCount, 1))/float64(max(len(p.jobs), 1)))
}

// piecewiseLogarithm is that of the authors' programme.
var piecewiseLogarithm = knapsack.PiecewiseLog(1e-6, 0.2, 0.4, 0.6, 0.8)

// planRounds finds the rounds of every job and writes them into its share.
func (p *typePlanner) planRounds(shares []JobPlan) {
	rounds := min(p.RoundsPlanned, 64)
	w := knapsack.Problem{Rounds: rounds, Capacity: p.gpuCount, Utility: piecewiseLogarithm, Items: make([]knapsack.Item, len(p.forecasts)),
		LongestRestCost: p.LongestRestCost * float64(len(p.forecasts)*rounds)}
	for i := range p.forecasts {
		w.Items[i] = p.newKnapsackItem(&p.forecasts[i])
	}
	if !p.guaranteeFairRounds(&w) {
		p.weighLateJobs(&w)
	}
	for n, rounds := range w.PlanRounds() {
		s := &shares[p.jobIndexes[n]]
		s.Type, s.RoundBits, s.Weight = p.typeName, rounds, w.Items[n].Weight
	}
}

func (p *typePlanner) newKnapsackItem(f *jobForecast) knapsack.Item {
	d := p.Settings.RoundLength.Seconds()
	use := math.Ceil((1 - f.progressShare) / (f.progressPerSecond * d))
	return knapsack.Item{DevicesPerRound: f.DeviceCount(), Weight: 1, DoneShare: f.progressShare, GainPerRound: f.progressPerSecond * d, SecondsLeft: f.SecondsLeft, SecondsCutPerRound: d,
		MaxRounds: int(min(max(use, 1), 64))}
}

// guaranteeFairRounds asks for the rounds without which a job would finish later than is
// fair, if the others get their equal share after the window. It reports
// whether all can be had.
func (p *typePlanner) guaranteeFairRounds(w *knapsack.Problem) bool {
	d := p.Settings.RoundLength.Seconds()
	room := w.Rounds * w.Capacity
	for i := range p.forecasts {
		f, s := &p.forecasts[i], &w.Items[i]
		spare := p.RhoMax*(f.originOffsetSeconds+f.fairSeconds) - (f.originOffsetSeconds + f.ageSeconds + d*float64(w.Rounds))
		if spare < 0 {
			return false
		}
		s.MinRounds = int(max(math.Ceil((f.longestSecondsLeft-spare*p.equalShare())/d), 0))
		room -= s.MinRounds * s.DevicesPerRound
		if s.MinRounds > min(s.MaxRounds, w.Rounds) || room < 0 {
			return false
		}
	}
	return true
}

// weighLateJobs guarantees nothing, and gives more weight to jobs that would finish too
// late.
func (p *typePlanner) weighLateJobs(w *knapsack.Problem) {
	for i := range p.forecasts {
		f, s := &p.forecasts[i], &w.Items[i]
		s.MinRounds = 0
		rho := (f.originOffsetSeconds + f.ageSeconds + f.longestSecondsLeft/p.equalShare()) / max(f.originOffsetSeconds+f.fairSeconds, 1)
		if rho <= p.RhoMax {
			continue
		}
		power := p.LatenessPower
		if f.SecondsLeft < p.Settings.RoundLength.Seconds() {
			power = 100 // it could be done in a round
		}
		s.Weight = min(math.Pow(rho, power), p.MaxWeight)
	}
}

// Settings are the parameters of a Planner.
type Settings struct {
	RoundLength       time.Duration // a lease
	RoundsPlanned     int           // rounds planned, at most 64
	ReplanAfterRounds int           // rounds after which the plan is renewed though no job came or left
	LongestRestCost   float64       // what a second of the longest rest costs, the utility of all jobs being one a round
	LatenessPower     float64       // power of its lateness, in the weight of a job that would finish too late
	RhoMax            float64       // how much later than with an equal share is too late
	MaxWeight         float64       // the largest weight of a job
	// AddedSigmas are the standard errors that are added to what is left of a job
	// when its fairness is judged.
	AddedSigmas float64
	// CountFromFirstPlan counts the times that weights are made of from the first plan, and
	// takes the plan a job is first in for its arrival, as the authors of Shockwave
	// do in their simulator. Otherwise times are from the arrival of each job.
	CountFromFirstPlan bool
	Predictor          predict.Regimes
}
