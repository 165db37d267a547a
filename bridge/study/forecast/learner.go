// Package forecast predicts run times in a simulation from what ended in it before, as
// the daemon does from its record.
package forecast

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// Learner learns the run times of jobs from those that ended. What ended is known from
// the next full hour on, and nothing is predicted before minLearnedJobs are known, as live.
// Live fits a new model every hour; here that happens whenever a quarter more jobs are
// known, and until then the model is only told of them.
type Learner struct {
	runs           []learn.Run // all that are known, by end
	waitingRuns    []learn.Run // that ended since the last full hour
	nextHour       time.Time   // at which those become known
	nextFitCount   int         // of runs
	model          *learn.Model
	predictedByJob map[learn.Job]*prediction
}

// prediction is what is kept of jobs that are alike.
type prediction struct {
	dist                    *learn.RunTimeDist
	leftAtStart, startSigma time.Duration
}

const (
	minLearnedJobs   = 20 // as accounting/predictions
	refitGrowth      = 1.25
	maxPredictedJobs = 20_000 // kept at a time, of a kilobyte or two each
)

// NewLearner returns a learner that knows nothing yet.
func NewLearner() *Learner {
	return &Learner{nextFitCount: minLearnedJobs, predictedByJob: map[learn.Job]*prediction{}}
}

// AddEndedRun takes a job that ended by itself.
func (l *Learner) AddEndedRun(r learn.Run) { l.waitingRuns = append(l.waitingRuns, r) }

// PredictTimeLeft returns the median of what remains of a job and its standard error; 0
// while nothing can be said.
func (l *Learner) PredictTimeLeft(now time.Time, j *policy.Job) (left, sigma time.Duration) {
	m := l.modelAt(now)
	if m == nil {
		return 0, 0
	}
	job := learn.JobFromPolicy(j)
	p := l.predictedByJob[job]
	if p == nil {
		if len(l.predictedByJob) >= maxPredictedJobs {
			clear(l.predictedByJob)
		}
		p = &prediction{dist: m.RunTimeDistOf(&job)}
		p.leftAtStart, p.startSigma = p.dist.MedianLeft(0)
		l.predictedByJob[job] = p
	}
	if ran := j.TotalRunTime(); ran > 0 {
		return p.dist.MedianLeft(ran)
	}
	return p.leftAtStart, p.startSigma
}

// PredictionTrust returns how far what is predicted at a moment proved true until then;
// see learn.RunOrderTrust.
func (l *Learner) PredictionTrust(now time.Time) float64 {
	if m := l.modelAt(now); m != nil {
		return m.Trust
	}
	return 0
}

// modelAt returns the model at a moment; nil: none yet.
func (l *Learner) modelAt(now time.Time) *learn.Model {
	if !now.Before(l.nextHour) {
		l.learnUntil(now.Truncate(time.Hour))
	}
	return l.model
}

// learnUntil learns what ended until a full hour.
func (l *Learner) learnUntil(hour time.Time) {
	l.nextHour = hour.Add(time.Hour)
	slices.SortStableFunc(l.waitingRuns, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	n := 0
	for n < len(l.waitingRuns) && !l.waitingRuns[n].End.After(hour) {
		n++
	}
	if n == 0 {
		return
	}
	known := l.waitingRuns[:n]
	l.runs = append(l.runs, known...)
	switch {
	case len(l.runs) >= l.nextFitCount:
		l.model = learn.Fit(l.runs, 0)
		l.nextFitCount = int(refitGrowth*float64(len(l.runs))) + 1
	case l.model != nil:
		for i := range known {
			l.model.AddRun(&known[i])
		}
	}
	l.waitingRuns = slices.Clone(l.waitingRuns[n:])
	clear(l.predictedByJob)
}
