package predict_test

import (
	"encoding/json"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// watched decides every ten minutes about a job that runs, whose report says at each time how
// much is left, and returns what is believed at the last. Each memory goes through JSON, as
// when it is stored.
func watched(t *testing.T, memory *predict.ReportMemory, j policy.Job, length time.Duration, says func(ran time.Duration) time.Duration) time.Duration {
	t.Helper()
	var believed time.Duration
	for ran := time.Duration(0); ran <= length; ran += 10 * time.Minute {
		j.State, j.Start, j.Attained = policy.Running, now, policy.ServiceForTime(1, ran)
		j.Ask.GPUs.Count = 1
		j.Training = &policy.Training{Steps: (ran + says(ran)).Seconds(), StepsDone: ran.Seconds(), Rates: []policy.Rate{{StepsPerSecond: 1}}}
		believed = decideOnce(t, memory, j, now.Add(ran))
	}
	return believed.Round(time.Minute)
}

func decideOnce(t *testing.T, memory *predict.ReportMemory, j policy.Job, at time.Time) time.Duration {
	t.Helper()
	s := &policy.Snapshot{Now: at, Jobs: []policy.Job{j}}
	checked := predict.NewCheckedReports(*memory, s)
	est := checked.Predict(&engine.Round{Snapshot: s}, &engine.Entry{Job: &s.Jobs[0]})
	raw, err := json.Marshal(checked.Memory())
	if err != nil {
		t.Fatal(err)
	}
	*memory = predict.ReportMemory{}
	if err := json.Unmarshal(raw, memory); err != nil {
		t.Fatal(err)
	}
	return est.TimeLeft
}

// TestCheckedReports: a job of ten hours that reports this or that is thought to have so
// much left after so long.
func TestCheckedReports(t *testing.T) {
	const whole = 10 * time.Hour
	rest := func(ran time.Duration) time.Duration { return whole - ran }
	tenth := func(ran time.Duration) time.Duration { return rest(ran) / 10 }
	for name, c := range map[string]struct {
		says func(time.Duration) time.Duration
		ran  time.Duration
		want time.Duration
	}{
		"the truth":                         {rest, 5 * time.Hour, 5 * time.Hour},
		"a tenth, at once":                  {tenth, 20 * time.Minute, 58 * time.Minute},
		"a tenth, seen after half of that":  {tenth, 40 * time.Minute, 9*time.Hour + 20*time.Minute},
		"a tenth, at half of its time":      {tenth, 5 * time.Hour, 5 * time.Hour},
		"three quarters":                    {func(ran time.Duration) time.Duration { return rest(ran) * 3 / 4 }, 9 * time.Hour, 45 * time.Minute},
		"always ten minutes, as soon as so": {func(time.Duration) time.Duration { return 10 * time.Minute }, 5 * time.Hour, 200 * time.Minute},
	} {
		if got := watched(t, &predict.ReportMemory{}, policy.Job{ID: 1}, c.ran, c.says); got != c.want {
			t.Errorf("%s: after %v it is thought to have %v left, want %v", name, c.ran, got, c.want)
		}
	}
}

// TestOwnersRecord: after a job that ran ten times as long as it first said, the next one's
// report counts tenfold before it is proven; another user's does not; and who then reports
// the truth is believed again.
func TestOwnersRecord(t *testing.T) {
	memory := &predict.ReportMemory{}
	liar, other := policy.Job{ID: 1, User: "ann"}, policy.Job{ID: 3, User: "bob"}
	watched(t, memory, liar, 10*time.Hour, func(ran time.Duration) time.Duration { return (10*time.Hour - ran) / 10 })
	hour := func(ran time.Duration) time.Duration { return time.Hour - ran }
	liar.ID = 2
	if got := watched(t, memory, liar, 0, hour); got != 10*time.Hour {
		t.Errorf("the next job's hour counts as %v, want 10h", got)
	}
	if got := watched(t, memory, liar, 40*time.Minute, hour); got != 20*time.Minute {
		t.Errorf("once its report has proved true, it is thought to have %v left, want 20m", got)
	}
	if got := watched(t, memory, other, 0, hour); got != time.Hour {
		t.Errorf("another user's hour counts as %v", got)
	}
}

// TestLearntBoundsReports: until a report is proven, it counts for no less than what one in six
// of such jobs have left; not where the owner's jobs ended as reported.
func TestLearntBoundsReports(t *testing.T) {
	memory := &predict.ReportMemory{}
	minute := func(time.Duration) time.Duration { return time.Minute }
	known := policy.Job{ID: 1, User: "ann", PredictedLeft: 4 * time.Hour, PredictedSigma: 12 * time.Hour}
	if got := watched(t, memory, known, 0, minute); got != time.Hour {
		t.Errorf("a minute, where four hours are usual and one in six has sixteen, counts as %v, want 1h", got)
	}
	for i := range 4 {
		known.ID = policy.JobID(i + 10)
		watched(t, memory, known, 40*time.Minute, func(ran time.Duration) time.Duration { return 40*time.Minute - ran })
	}
	if known.ID = 20; watched(t, memory, known, 0, minute) != time.Minute {
		t.Error("the owner's jobs ended as reported, and the report is not believed")
	}
}
