package predict_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// runningFor is a job of ann's sweep that has run so long on its two GPUs.
func runningFor(ran time.Duration) policy.Job {
	return *job(func(j *policy.Job) { j.Name, j.Attained = "sweep", policy.ServiceForTime(2, ran) }).Job
}

// heardOf predicts a waiting job of ann's sweep beside what runs: half an hour, one of six over two hours.
func heardOf(running []policy.Job, change func(*policy.Job)) engine.TimeLeftEstimate {
	s := &policy.Snapshot{Now: now, Jobs: running, PredictionTrust: .5}
	e := job(func(j *policy.Job) {
		j.Name, j.State, j.Start, j.Attained = "sweep", policy.Pending, time.Time{}, 0
		j.PredictedLeft, j.PredictedSigma, j.Limit = 30*time.Minute, 90*time.Minute, 24*time.Hour
		change(j)
	})
	return predict.NewStillRunning(predict.Ladder(nil), s).Predict(&engine.Round{Snapshot: s}, e)
}

func asItIs(*policy.Job) {}

func TestStillRunningIsHeardOnlyOfJobsLikeIt(t *testing.T) {
	plain, long := heardOf(nil, asItIs), []policy.Job{runningFor(6 * time.Hour), runningFor(5 * time.Hour)}
	for name, change := range map[string]func(*policy.Job){
		"another user":     func(j *policy.Job) { j.User = "bob" },
		"another name":     func(j *policy.Job) { j.Name = "other" },
		"no name":          func(j *policy.Job) { j.Name = "" },
		"one that ran":     func(j *policy.Job) { j.Attained = policy.ServiceForTime(2, time.Minute) },
		"one that runs":    func(j *policy.Job) { j.State = policy.Running },
		"one that is sure": func(j *policy.Job) { j.PredictedSigma = 0 },
		"a report of its own": func(j *policy.Job) {
			j.Progress, j.Attained = policy.KnownValue(.5), policy.ServiceForTime(2, time.Hour)
		},
	} {
		if got, want := heardOf(long, change), heardOf(nil, change); got != want {
			t.Errorf("%s: %+v beside jobs that run, %+v without", name, got, want)
		}
	}
	if got := heardOf(long, asItIs); got.TimeLeft < 2*plain.TimeLeft || got.Source != predict.FromHistory || got.Trust != plain.Trust {
		t.Errorf("beside two that run for hours %+v is predicted, at first %+v", got, plain)
	}
}

// TestStillRunningHearsCounters wants jobs heard whose names count up, unless some of the very name run.
func TestStillRunningHearsCounters(t *testing.T) {
	named := func(name string, ran time.Duration) policy.Job {
		j := runningFor(ran)
		j.Name = name
		return j
	}
	seed9 := func(j *policy.Job) { j.Name = "seed-9" }
	plain := heardOf(nil, seed9).TimeLeft
	if got := heardOf([]policy.Job{named("seed-1", 5*time.Hour), named("seed-2", 6*time.Hour)}, seed9).TimeLeft; got < 2*plain {
		t.Errorf("%v beside others that count up, %v by itself", got, plain)
	}
	same := heardOf([]policy.Job{named("seed-9", time.Hour)}, seed9).TimeLeft
	if got := heardOf([]policy.Job{named("seed-9", time.Hour), named("seed-2", 6*time.Hour)}, seed9).TimeLeft; got != same || got == plain {
		t.Errorf("%v beside one of its name and another, %v beside that one, %v by itself", got, same, plain)
	}
}

// TestStillRunningGrows wants more evidence to make a job longer, without a limit that stops it: the longer
// others run and the more of them, up to hundreds that outlast all that was thought possible.
func TestStillRunningGrows(t *testing.T) {
	before := heardOf([]policy.Job{runningFor(time.Minute)}, asItIs).TimeLeft
	if plain := heardOf(nil, asItIs).TimeLeft; before < plain || before > plain*11/10 {
		t.Errorf("beside one that runs for a minute %v is predicted, %v by itself", before, plain)
	}
	for _, ran := range []time.Duration{time.Hour, 3 * time.Hour, 10 * time.Hour, 1000 * time.Hour} {
		one, many := heardOf([]policy.Job{runningFor(ran)}, asItIs).TimeLeft, make([]policy.Job, 300)
		for i := range many {
			many[i] = runningFor(ran)
		}
		if all := heardOf(many, asItIs).TimeLeft; one <= before || all < one {
			t.Errorf("beside one that runs for %v %v is predicted, beside 300 %v, beside a shorter one %v", ran, one, all, before)
		}
		before = one
	}
}

// TestStillRunningKeepsTheLimit wants nothing shorter than what was predicted, nor longer than the limit.
func TestStillRunningKeepsTheLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seconds := func(most int) time.Duration { return time.Duration(1+r.IntN(most)) * time.Second }
	for range 2000 {
		running := []policy.Job{runningFor(seconds(1e7)), runningFor(seconds(1e5)), runningFor(seconds(10))}
		left, sigma, limit := seconds(1e6), seconds(1e7), seconds(1e6)
		left = min(left, limit)
		got := heardOf(running, func(j *policy.Job) { j.PredictedLeft, j.PredictedSigma, j.Limit = left, sigma, limit })
		if got.TimeLeft < left || got.TimeLeft > limit || got.TimeLeftSigma <= 0 {
			t.Fatalf("%+v of %v ± %v with a limit of %v", got, left, sigma, limit)
		}
	}
}

// BenchmarkStillRunning is a cycle of 10,000 jobs of 500 names, half of which run.
func BenchmarkStillRunning(b *testing.B) {
	s := &policy.Snapshot{Now: now}
	for i := range 10_000 {
		j := runningFor(time.Duration(i) * time.Second)
		j.ID, j.Name, j.PredictedLeft, j.PredictedSigma = policy.JobID(i), string(rune('A'+i/2%500)), time.Duration(1+i%97)*time.Minute, time.Hour
		if i%2 == 0 {
			j.State, j.Attained = policy.Pending, 0
		}
		s.Jobs = append(s.Jobs, j)
	}
	r := &engine.Round{Snapshot: s}
	for b.Loop() {
		p := predict.NewStillRunning(predict.Ladder(nil), s)
		for i := range s.Jobs {
			p.Predict(r, &engine.Entry{Job: &s.Jobs[i]})
		}
	}
}
