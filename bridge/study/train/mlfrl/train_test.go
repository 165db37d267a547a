package mlfrl

import (
	"bytes"
	"context"
	"errors"
	"testing"

	policymlfrl "fairbridge/policy/paper/mlfrl"
)

func quick(seed int64) Settings {
	s := DefaultSettings()
	s.Seed, s.Workload, s.ImitationRuns, s.Rounds, s.Pairs, s.RunsPerChange = seed, Workload{JobCount: 30, GPUs: 32, Load: 1}, 2, 2, 2, 1
	return s
}

// TestTrainingRepeats: the same settings give the same weights to the digit, another seed others.
func TestTrainingRepeats(t *testing.T) {
	train := func(seed int64) string {
		s := quick(seed)
		told := 0
		s.ReportProgress = func(string) { told++ }
		w, err := Train(context.Background(), s)
		if err != nil || told != 3 {
			t.Fatal(err, told)
		}
		var out bytes.Buffer
		if err := WriteWeights(&out, w); err != nil {
			t.Fatal(err)
		}
		if _, err := policymlfrl.ReadWeights(out.Bytes()); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	one := train(1)
	if one != train(1) {
		t.Error("the same settings gave other weights")
	}
	if one == train(2) {
		t.Error("another seed gave the same weights")
	}
}

// TestImitates: after imitation pairs of jobs of a workload that it did not learn from stand in the order of the heuristic, all but one
// in seventeen.
func TestImitates(t *testing.T) {
	tr := newTrainer(DefaultSettings())
	if err := tr.imitate(); err != nil {
		t.Fatal(err)
	}
	rec := &recorder{every: 7}
	if _, err := simulate(tr.Workload, 1, rec); err != nil {
		t.Fatal(err)
	}
	if got := tr.agreement(rec); got < .94 {
		t.Errorf("%.3f of the pairs of another workload, want .94", got)
	}
}

func TestStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Train(ctx, quick(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
