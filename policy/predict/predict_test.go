package predict_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func job(change func(*policy.Job)) *engine.Entry {
	j := &policy.Job{ID: 1, User: "ann", Account: "vision", State: policy.Running, Start: now.Add(-time.Hour),
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}, Attained: policy.ServiceForTime(2, 2*time.Hour)}
	change(j)
	return &engine.Entry{Job: j}
}

func TestLadder(t *testing.T) {
	r := &engine.Round{Snapshot: &policy.Snapshot{Now: now, Users: []policy.User{
		{Name: "ann", Account: "other", TypicalLimitUse: policy.KnownValue(0.9)},
		{Name: "ann", Account: "vision", TypicalLimitUse: policy.KnownValue(0.5)},
	}}}
	for _, c := range []struct {
		name   string
		change func(*policy.Job)
		left   time.Duration
		from   string
	}{
		{"progress first", func(j *policy.Job) { j.Progress, j.PredictedLeft = policy.KnownValue(0.25), time.Minute }, 6 * time.Hour, "progress"},
		{"no use of progress 0", func(j *policy.Job) { j.Progress, j.PredictedLeft = policy.KnownValue(0), time.Minute }, time.Minute, "history"},
		{"history before limit", func(j *policy.Job) { j.PredictedLeft, j.Limit = time.Minute, 9*time.Hour }, time.Minute, "history"},
		{"limit times the user's ratio", func(j *policy.Job) { j.Limit = 10 * time.Hour }, 3 * time.Hour, "limit"},
		{"past the typical end", func(j *policy.Job) { j.Limit = 3 * time.Hour }, 2 * time.Hour, "limit"},
		{"an unknown user", func(j *policy.Job) { j.User, j.Limit = "bob", 10*time.Hour }, 8 * time.Hour, "limit"},
		{"as long again", func(*policy.Job) {}, 2 * time.Hour, "attained"},
		{"nothing known", func(j *policy.Job) { j.State, j.Attained = policy.Pending, 0 }, 0, ""},
		{"a negative prediction", func(j *policy.Job) { j.PredictedLeft = -time.Hour }, 2 * time.Hour, "attained"},
		{"beyond its limit", func(j *policy.Job) { j.Limit = time.Minute }, 2 * time.Hour, "attained"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := predict.Ladder(nil).Predict(r, job(c.change))
			if got.TimeLeft != c.left || got.Source != c.from {
				t.Errorf("left %v from %q, want %v from %q", got.TimeLeft, got.Source, c.left, c.from)
			}
		})
	}
}

// What may go anywhere is thought to go where it is placed first: to the fastest
// type that the cluster has.
func TestTrainingGoesToTheFastestThereIs(t *testing.T) {
	rates := []policy.Rate{{Type: "a100", StepsPerSecond: 2}, {Type: "h100", StepsPerSecond: 10}, {Type: "k80", StepsPerSecond: 1}}
	e := job(func(j *policy.Job) {
		j.State, j.Training = policy.Pending, &policy.Training{Steps: 7200, Rates: rates}
	})
	for _, c := range []struct {
		types []string
		left  time.Duration
	}{{[]string{"a100", "h100", "k80"}, 12 * time.Minute}, {[]string{"a100", "k80"}, time.Hour}, {[]string{"k80"}, 2 * time.Hour}, {[]string{"other"}, 12 * time.Minute}} {
		s := &policy.Snapshot{Now: now}
		for _, typ := range c.types {
			s.Nodes = append(s.Nodes, policy.Node{Name: typ, GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}})
		}
		r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
		if got := predict.Ladder(nil).Predict(r, e); got.TimeLeft != c.left {
			t.Errorf("on %v it takes %v, want %v", c.types, got.TimeLeft, c.left)
		}
	}
}
