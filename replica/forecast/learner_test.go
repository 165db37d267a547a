package forecast

import (
	"strconv"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// endedRun is a run of ann's sweep that ended so long after monday.
func endedRun(end time.Duration, ran time.Duration) learn.Run {
	return learn.Run{Job: learn.Job{User: "ann", Account: "ml", Name: "sweep", GPUs: 2, GPUType: "a100", Limit: 48 * time.Hour}, Start: monday.Add(end - ran), End: monday.Add(end), Ran: ran}
}

func waitingJob(name string) *policy.Job {
	return &policy.Job{ID: 1, User: "ann", Account: "ml", Name: name, Limit: 48 * time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2, Type: "a100"}}}
}

// TestLearnerKnowsNothingAtFirst wants no prediction from fewer jobs than live wants, nor
// from what ended in the present hour: a simulation must not know what no daemon would.
func TestLearnerKnowsNothingAtFirst(t *testing.T) {
	l := NewLearner()
	for i := range minLearnedJobs {
		l.AddEndedRun(endedRun(time.Hour+time.Duration(i)*time.Minute, 30*time.Minute))
	}
	for _, at := range []time.Duration{0, 59 * time.Minute, 119 * time.Minute} {
		if left, sigma := l.ForecastAt(monday.Add(at)).PredictTimeLeft(waitingJob("sweep")); left != 0 || sigma != 0 {
			t.Errorf("after %v %v ± %v is predicted of jobs that ended in the second hour", at, left, sigma)
		}
	}
	left, _ := l.ForecastAt(monday.Add(2 * time.Hour)).PredictTimeLeft(waitingJob("sweep"))
	if left < 25*time.Minute || left > 35*time.Minute {
		t.Errorf("after two hours %v is predicted, want about 30m", left)
	}
	few := NewLearner()
	for range minLearnedJobs - 1 {
		few.AddEndedRun(endedRun(time.Minute, time.Minute))
	}
	if left, _ := few.ForecastAt(monday.Add(24 * time.Hour)).PredictTimeLeft(waitingJob("sweep")); left != 0 {
		t.Errorf("%d jobs are enough to predict %v", minLearnedJobs-1, left)
	}
}

// TestLearnerLearnsOn wants later jobs to count between two fits, of all time since.
func TestLearnerLearnsOn(t *testing.T) {
	l := NewLearner()
	for i := range 40 {
		l.AddEndedRun(endedRun(time.Duration(i)*time.Minute, 10*time.Minute))
	}
	before, _ := l.ForecastAt(monday.Add(time.Hour)).PredictTimeLeft(waitingJob("sweep"))
	fitted := l.nextFitCount
	for i := range 9 { // fewer than a quarter more
		l.AddEndedRun(endedRun(time.Hour+time.Duration(i)*time.Minute, 4*time.Hour))
	}
	after, _ := l.ForecastAt(monday.Add(2 * time.Hour)).PredictTimeLeft(waitingJob("sweep"))
	if fitted != l.nextFitCount || after <= before {
		t.Errorf("%v is predicted after 40 jobs of 10m, %v after 9 more of 4h (fits at %d and %d)", before, after, fitted, l.nextFitCount)
	}
	for i := range 20 {
		l.AddEndedRun(endedRun(2*time.Hour+time.Duration(i)*time.Minute, 4*time.Hour))
	}
	last, _ := l.ForecastAt(monday.Add(3 * time.Hour)).PredictTimeLeft(waitingJob("sweep"))
	if l.nextFitCount == fitted || last <= after {
		t.Errorf("%v is predicted after 29 of 4h (the next fit at %d)", last, l.nextFitCount)
	}
}

// TestLearnerForgetsWhatRan wants what is left of a job to depend on how long it ran.
func TestLearnerForgetsWhatRan(t *testing.T) {
	l := NewLearner()
	for i := range 60 {
		l.AddEndedRun(endedRun(time.Duration(i)*time.Second, time.Duration(10+50*(i%2))*time.Minute))
	}
	now := monday.Add(time.Hour)
	j := waitingJob("sweep")
	first, _ := l.ForecastAt(now).PredictTimeLeft(j)
	j.Attained = policy.GPUSeconds(2 * 45 * 60)
	rest, _ := l.ForecastAt(now).PredictTimeLeft(j)
	if rest <= 0 || rest > 30*time.Minute || first < 5*time.Minute {
		t.Errorf("%v at the start, %v after 45m of jobs of 10m and 60m", first, rest)
	}
}

// TestLearnerIsTrustedOnceItProvedTrue wants no trust in a learner that knows nothing, and
// more the longer its predictions were right.
func TestLearnerIsTrustedOnceItProvedTrue(t *testing.T) {
	l := NewLearner()
	if got := l.ForecastAt(monday).PredictionTrust(); got != 0 {
		t.Errorf("trust %g in nothing", got)
	}
	last := 0.0
	for day := range 3 {
		for i := range 40 {
			r := endedRun(time.Duration(24*day)*time.Hour+time.Duration(i)*20*time.Minute, time.Duration(1+i%8)*time.Minute)
			r.Name = "sweep" + strconv.Itoa(i%8)
			l.AddEndedRun(r)
		}
		got := l.ForecastAt(monday.Add(time.Duration(24*day+23) * time.Hour)).PredictionTrust()
		if got <= last || got > 1 {
			t.Errorf("trust %g after day %d, %g before", got, day+1, last)
		}
		last = got
	}
	if last < .6 {
		t.Errorf("trust %g at last", last)
	}
}

// TestLearnerAskedSeldom wants the same prediction from a learner that was asked every hour and one that was asked only
// now: fits that were passed over would have been replaced.
func TestLearnerAskedSeldom(t *testing.T) {
	often, seldom := NewLearner(), NewLearner()
	for i := range 400 {
		r := endedRun(time.Duration(i)*7*time.Minute, time.Duration(1+i*i%97)*time.Minute)
		now := r.End
		often.AddEndedRun(r)
		seldom.AddEndedRun(r)
		often.ForecastAt(now).PredictionTrust()
		f := seldom.ForecastAt(now)
		if i%50 != 49 {
			continue
		}
		left, sigma := often.ForecastAt(now).PredictTimeLeft(waitingJob("sweep"))
		l, x := f.PredictTimeLeft(waitingJob("sweep"))
		if l != left || x != sigma || f.PredictionTrust() != often.PredictionTrust() {
			t.Errorf("after %d runs %v ± %v, asked often %v ± %v", i+1, l, x, left, sigma)
		}
	}
}
