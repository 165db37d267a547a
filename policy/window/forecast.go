package window

import (
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// forecast is what is known of a job and expected of it.
type forecast struct {
	*engine.Entry
	predict.Rest
	progress  float64 // done part of its work, 0 to 1
	perSecond float64 // what a second adds to it
	fair      float64 // seconds from arrival to end with an equal share
	age       float64 // seconds since its arrival
	longest   float64 // Left and the standard errors that fairness allows for
	start     float64 // seconds from where time counts to where age and fair do
}

// predictAll predicts every job, and estimates its fair end anew if jobs came or
// left since.
func (p *typePlanner) predictAll(shares []Share, changed bool) {
	p.forecasts = make([]forecast, len(p.jobs))
	for n, i := range p.index {
		e, f, s := p.jobs[n], &p.forecasts[n], &shares[i]
		f.Entry = e
		p.predict(f)
		f.longest = f.Left + p.Sigmas*f.Sigma
		if changed || s.Fair.Since.IsZero() {
			s.Fair = s.Fair.add(p.Now, (f.Done+f.longest)/p.equalShare())
		}
		f.fair = s.Fair.mean(p.Now)
		f.age = max(p.Now.Sub(e.Arrive).Seconds(), 0)
		if p.FromStart {
			f.start = s.Fair.Since.Sub(p.origin).Seconds()
			f.age = p.Now.Sub(s.Fair.Since).Seconds()
		}
		s.Left = f.Left
	}
}

// predict says how far the job is: in epochs where it counts them, else in run
// time; a job of which nothing is known has a window before it.
func (p *typePlanner) predict(f *forecast) {
	rest, ok := p.Predict.Rest(f.Training)
	if ok {
		f.Rest = rest
		epochs := float64(f.Training.Epochs)
		f.progress = min(float64(f.Training.EpochsDone), epochs-0.5) / epochs
		f.perSecond = 1 / (epochs * rest.Epoch)
		return
	}
	est := predict.Ladder(nil).Predict(p.Round, f.Entry)
	f.Left, f.Sigma = est.Left.Seconds(), est.Sigma.Seconds()
	if f.Left <= 0 {
		f.Left = p.Settings.Round.Seconds() * float64(p.Window)
	}
	f.Done = f.Ask.GPUs.SecondsForService(f.Attained)
	f.progress = f.Done / (f.Done + f.Left)
	f.perSecond = 1 / (f.Done + f.Left)
}
