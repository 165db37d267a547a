package referee

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// lastTwo predicts the mean of the last two runs of the user that ended before the job arrived, at most the
// limit, and the limit where there are fewer (Tsafrir, Etsion, Feitelson, TPDS 2007). A job that outruns
// its prediction gets the first of the later ones that it has not reached.
type lastTwo struct {
	extensions []time.Duration // of the first prediction, ascending; beyond the last one, the limit
	runs       map[string][]learn.Run
	now        time.Time
}

// stepwise are the extensions of that paper.
var stepwise = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 20 * time.Hour, 50 * time.Hour, 100 * time.Hour,
}

func newLastTwo(extensions []time.Duration) *lastTwo {
	return &lastTwo{extensions: extensions, runs: map[string][]learn.Run{}}
}

// AddEndedRun implements forecast.RunTimePredictor. Of runs that end in one second the later start counts as the later.
func (p *lastTwo) AddEndedRun(r learn.Run) {
	all := p.runs[r.Job.User]
	at := len(all)
	for at > 0 && all[at-1].End.Equal(r.End) && all[at-1].Start.After(r.Start) {
		at--
	}
	p.runs[r.Job.User] = slices.Insert(all, at, r)
}

// ForecastAt implements forecast.RunTimePredictor.
func (p *lastTwo) ForecastAt(now time.Time) policy.Forecast {
	p.now = now
	return p
}

// PredictionTrust implements policy.Forecast.
func (p *lastTwo) PredictionTrust() float64 { return 0 }

// PredictTimeLeft implements policy.Forecast.
func (p *lastTwo) PredictTimeLeft(j *policy.Job) (left, sigma time.Duration) {
	ran := j.Ran(p.now)
	return p.lengthAfter(j, ran) - ran, 0
}

// lengthAfter is what a job that has run so long and goes on is thought to take in all.
func (p *lastTwo) lengthAfter(j *policy.Job, ran time.Duration) time.Duration {
	first := p.firstLength(j)
	if ran < first {
		return first
	}
	for _, more := range p.extensions {
		if first+more > ran {
			return min(first+more, j.Limit)
		}
	}
	return j.Limit
}

func (p *lastTwo) firstLength(j *policy.Job) time.Duration {
	all := p.runs[j.User]
	n, _ := slices.BinarySearchFunc(all, j.Submit, func(r learn.Run, t time.Time) int { return r.End.Compare(t) })
	if n < 2 {
		return j.Limit
	}
	mean := (all[n-1].Ran + all[n-2].Ran) / 2
	return min(mean.Truncate(time.Second), j.Limit)
}
