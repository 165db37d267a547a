package window

import (
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

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
