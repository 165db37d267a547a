// Package learnertest holds the law that every training keeps.
package learnertest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"fairbridge/lab/learner"
)

// CheckRepeats wants the same settings to give the same weights to the last digit, also where the training was cut off after each of
// its steps and went on from the checkpoint, and another seed to give others. values make a small training of so many steps; check
// says whether its weights can be used.
func CheckRepeats(t *testing.T, l *learner.Learner, values learner.Values, steps int, check func(weights []byte) error) {
	t.Helper()
	settings := func(seed int64) learner.Settings {
		return learner.Settings{Seed: seed, Values: values, Source: l.DrawnSource(values)}
	}
	train := func(seed int64) string {
		told := 0
		raw, err := l.Train(context.Background(), settings(seed), nil, learner.Progress{Report: func(string) { told++ }})
		if err != nil || told != steps {
			t.Fatalf("training of %s: %v, %d steps, want %d", l.Policy, err, told, steps)
		}
		if err := check(raw); err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	one := train(1)
	if one != train(1) {
		t.Error("the same settings gave other weights")
	}
	if one == train(2) {
		t.Error("another seed gave the same weights")
	}
	if pieces := trainInPieces(t, l, settings(1), steps); pieces != one {
		t.Error("cut off after each step, it gave other weights")
	}
}

// trainInPieces cuts the training off after each step, and goes on from what was kept, as a file keeps it.
func trainInPieces(t *testing.T, l *learner.Learner, s learner.Settings, steps int) string {
	t.Helper()
	var from *learner.Checkpoint
	for cuts := range steps {
		ctx, cut := context.WithCancel(context.Background())
		raw, err := l.Train(ctx, s, from, learner.Progress{Keep: func(c *learner.Checkpoint) error {
			cut()
			text, err := json.Marshal(c)
			from = new(learner.Checkpoint)
			return errors.Join(err, json.Unmarshal(text, from))
		}})
		if cut(); err == nil && cuts == steps-1 {
			return string(raw)
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off %d times: %v", cuts+1, err)
		}
	}
	t.Fatalf("it is not done after %d steps", steps)
	return ""
}
