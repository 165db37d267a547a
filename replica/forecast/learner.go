// Package forecast predicts run times in a simulation from what ended in it before, as
// the daemon does from its record.
package forecast

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// RunTimePredictor predicts how long jobs still run that report nothing of it themselves.
type RunTimePredictor interface {
	// AddEndedRun tells it of a job that ended, in the order in which jobs end.
	AddEndedRun(r learn.Run)
	// ForecastAt returns what it predicts at a moment, of use until it is called again. It is called for every
	// decision, whether or not the forecast is asked anything.
	ForecastAt(now time.Time) policy.Forecast
}

// Learner learns the run times of jobs from those that ended. What ended is known from
// the next full hour on, and nothing is predicted before minLearnedJobs are known, as live.
// Live fits a new model every hour; here that happens whenever a quarter more jobs are
// known, and until then the model is only told of them.
// A model is fitted when it is asked: of the fits that were due since, only the last makes a difference.
type Learner struct {
	runs           []learn.Run // all that are known, by end
	waitingRuns    []learn.Run // that ended since the last full hour
	nextHour       time.Time   // at which those become known
	nextFitCount   int         // of runs
	lastFitCount   int         // of runs of which the present model is to be fitted; 0: there is none yet
	model          *learn.Model
	fittedCount    int // of runs of which model was fitted
	learntCount    int // of runs that model knows
	predictedByJob map[learn.Job]*prediction
	predictedByID  map[policy.JobID]*prediction // of predictedByJob, found sooner
}

// prediction is what is kept of jobs that are alike.
type prediction struct {
	job                     learn.Job
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
	return &Learner{
		nextFitCount:   minLearnedJobs,
		predictedByJob: map[learn.Job]*prediction{}, predictedByID: map[policy.JobID]*prediction{},
	}
}

// AddEndedRun takes a job that ended by itself.
func (l *Learner) AddEndedRun(r learn.Run) { l.waitingRuns = append(l.waitingRuns, r) }

// ForecastAt returns what is predicted at a moment.
func (l *Learner) ForecastAt(now time.Time) policy.Forecast {
	if !now.Before(l.nextHour) {
		l.knowUntil(now.Truncate(time.Hour))
	}
	return l
}

// PredictTimeLeft returns the median of what remains of a job at the moment of ForecastAt and its standard
// error; 0 while nothing can be said.
func (l *Learner) PredictTimeLeft(j *policy.Job) (left, sigma time.Duration) {
	m := l.presentModel()
	if m == nil {
		return 0, 0
	}
	job := learn.JobFromPolicy(j)
	p := l.predictedByID[j.ID]
	if p == nil || p.job != job {
		p = l.predict(m, &job)
		l.predictedByID[j.ID] = p
	}
	if ran := j.TotalRunTime(); ran > 0 {
		return p.dist.MedianLeft(ran)
	}
	return p.leftAtStart, p.startSigma
}

// predict returns what is kept of jobs like this one.
func (l *Learner) predict(m *learn.Model, job *learn.Job) *prediction {
	p := l.predictedByJob[*job]
	if p == nil {
		if len(l.predictedByJob) >= maxPredictedJobs {
			l.forgetPredictions()
		}
		p = &prediction{job: *job, dist: m.RunTimeDistOf(job)}
		p.leftAtStart, p.startSigma = p.dist.MedianLeft(0)
		l.predictedByJob[*job] = p
	}
	return p
}

func (l *Learner) forgetPredictions() {
	clear(l.predictedByJob)
	clear(l.predictedByID)
}

// PredictionTrust returns how far what was predicted proved true; see learn.RunOrderTrust.
func (l *Learner) PredictionTrust() float64 {
	if m := l.presentModel(); m != nil {
		return m.Trust
	}
	return 0
}

// presentModel returns the model; nil: none yet.
func (l *Learner) presentModel() *learn.Model {
	if l.fittedCount != l.lastFitCount {
		l.model = learn.Fit(l.runs[:l.lastFitCount], 0)
		l.fittedCount, l.learntCount = l.lastFitCount, l.lastFitCount
	}
	for ; l.model != nil && l.learntCount < len(l.runs); l.learntCount++ {
		l.model.AddRun(&l.runs[l.learntCount])
	}
	return l.model
}

// knowUntil takes what ended until a full hour as known.
func (l *Learner) knowUntil(hour time.Time) {
	l.nextHour = hour.Add(time.Hour)
	slices.SortStableFunc(l.waitingRuns, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	n := 0
	for n < len(l.waitingRuns) && !l.waitingRuns[n].End.After(hour) {
		n++
	}
	if n == 0 {
		return
	}
	l.runs = append(l.runs, l.waitingRuns[:n]...)
	l.waitingRuns = slices.Delete(l.waitingRuns, 0, n)
	if len(l.runs) >= l.nextFitCount {
		l.lastFitCount, l.nextFitCount = len(l.runs), int(refitGrowth*float64(len(l.runs)))+1
	}
	l.forgetPredictions()
}
