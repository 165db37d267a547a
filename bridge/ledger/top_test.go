package ledger_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// niced is a job of bob's that waits: its nice now, the one that we had written, and its owner's before that; where
// both of these are 0 we had written none.
type niced struct{ now, wrote, own int64 }

// bobsJobs are bob's jobs 1, 2, … with the ledger's rows of them. Without any nice each has priority 6,000.
func bobsJobs(jobs []niced) ([]bridge.Intent, *slurm.View) {
	v := &slurm.View{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	var intents []bridge.Intent
	for i, x := range jobs {
		j := slurm.Job{ID: int64(i + 1), User: "bob", Account: "b", Partitions: []string{"gpu"}, State: "PENDING"}
		j.Nice, j.IsNiceKnown, j.Priority = x.now, true, 6000-x.now
		v.Jobs = append(v.Jobs, j)
		if x.wrote == 0 && x.own == 0 {
			continue
		}
		in := bridge.Intent{ID: j.ID, State: bridge.IntentYielded, Sent: v.At, Closed: v.At}
		in.Before.Nice, in.Edit = x.own, slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditNice, Value: x.wrote}
		if x.now == x.wrote {
			in.State, in.Closed = bridge.IntentObserved, time.Time{}
		}
		intents = append(intents, in)
	}
	return intents, v
}

// TestATopIsUndoneToWhatItAloneWouldHaveMade: scontrol top dealt out our numbers. What is given back is the nice that
// it would have made of the owners' alone; where that cannot be told nothing is, and it is said.
func TestATopIsUndoneToWhatItAloneWouldHaveMade(t *testing.T) {
	top := []niced{{-3572, -5357, 0}, {-2857, -4643, 0}, {1608, -178, 0}, {-5357, 0, 0}} // as seen at a site
	for _, c := range []struct {
		name     string
		jobs     []niced
		want     []int64 // the nices after a release
		unproven []int64 // jobs that are left as they are, and named
	}{
		{"four jobs alike", top, []int64{1, 1, 1, 0}, nil},
		{"two jobs", []niced{{-10, -110, 0}, {-110, -10, 0}}, []int64{1, 0}, nil},
		{"a polite owner", []niced{{-10, -100, 0}, {-50, -140, 0}, {-190, -10, 40}}, []int64{20, 20, 0}, nil},
		{"two came later", append(top[:4:4], niced{}, niced{-90, -90, 0}), []int64{1, 1, 1, 0, 0, 0}, nil},
		{
			"two tops", []niced{{-1000, -2000, 0}, {-2000, -1000, 0}, {-1500, -500, 0}},
			[]int64{-1000, -2000, -1500}, []int64{1, 2, 3},
		},
		{"the one on top started", top[:3], []int64{-3572, -2857, 1608}, []int64{1, 2, 3}},
		{"an owner's own nices", []niced{{50, -5357, 0}, {50, -4643, 0}, {-178, -178, 0}}, []int64{50, 50, 0}, nil},
		{"an administrator's nice", []niced{{-9000, -5357, 0}, {-4643, -4643, 0}}, []int64{-9000, 0}, nil},
		{"an administrator's nices", []niced{{-9000, -5357, 0}, {-9000, -4643, 0}}, []int64{-9000, -9000}, nil},
		{"another's numbers, given back", []niced{{0, -399, -57}, {0, 257, -57}}, []int64{0, 0}, nil},
		{
			"one of three given back", []niced{{0, -399, -57}, {60, 257, 0}, {90, 0, 0}},
			[]int64{0, 60, 90}, []int64{2, 3},
		},
		{"none of ours", []niced{{1, 0, 0}, {-1, 0, 0}}, []int64{1, -1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			intents, v := bobsJobs(c.jobs)
			if got := ledger.UnprovenTops(intents, v); !slices.Equal(got, c.unproven) {
				t.Errorf("not proven are %v, want %v", got, c.unproven)
			}
			topped, closed := ledger.ToppedIntents(intents, v)
			if intents = append(intents, topped...); len(closed) > 0 {
				t.Errorf("closed once more: %v", closed)
			}
			if again, _ := ledger.ToppedIntents(intents, v); len(again) > 0 {
				t.Errorf("found once more: %v", again)
			}
			for _, e := range ledger.UndoEdits(intents, v, v.At) {
				v.Job(e.Run.Job).Nice = e.Value
			}
			for i, want := range c.want {
				if got := v.Jobs[i].Nice; got != want {
					t.Errorf("job %d has nice %d, want %d", i+1, got, want)
				}
			}
		})
	}
}

// TestATopIsNotGuessed: nothing is made of a group of which a nice is not shown, or an outcome is open.
func TestATopIsNotGuessed(t *testing.T) {
	type spoiler func([]bridge.Intent, *slurm.View)
	for name, spoil := range map[string]spoiler{
		"a nice that is not shown": func(_ []bridge.Intent, v *slurm.View) { v.Jobs[1].IsNiceKnown = false },
		"a job that came after the change": func(_ []bridge.Intent, v *slurm.View) {
			v.Jobs[0].ID, v.Jobs[0].Nice, v.Jobs[0].Submit = 3, 100, v.At.Add(time.Second)
		},
		"an open outcome":        func(is []bridge.Intent, _ *slurm.View) { is[0].State = bridge.IntentUnknown },
		"no priority that tells": func(_ []bridge.Intent, v *slurm.View) { v.Jobs[0].Priority = 1 },
		"a job in two partitions": func(_ []bridge.Intent, v *slurm.View) {
			v.Jobs[0].Partitions = []string{"gpu", "a"}
		},
		"jobs of different accounts":  func(_ []bridge.Intent, v *slurm.View) { v.Jobs[0].Account = "c" },
		"a job that somebody holds":   func(_ []bridge.Intent, v *slurm.View) { v.Jobs[0].IsHeld = true },
		"another job of the same id":  func(is []bridge.Intent, _ *slurm.View) { is[0].Edit.Run.Submit++ },
		"a number that was never out": func(is []bridge.Intent, _ *slurm.View) { is[0].Sent = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			intents, v := bobsJobs([]niced{{-10, -110, 0}, {-110, -10, 0}})
			spoil(intents, v)
			if topped, _ := ledger.ToppedIntents(intents, v); len(topped) > 0 {
				t.Error("taken for a top")
			}
		})
	}
}

// TestATopRightAfterAYes: Slurm had said yes to our number, and the first look after that shows what top made of it.
func TestATopRightAfterAYes(t *testing.T) {
	intents, v := bobsJobs([]niced{{-10, -110, 0}, {-110, -10, 0}})
	for i := range intents {
		intents[i].State, intents[i].Closed = bridge.IntentAcked, time.Time{}
	}
	topped, closed := ledger.ToppedIntents(intents, v)
	want := "YIELDED: nice is now -10, we had set -110"
	if len(topped) != 2 || len(closed) != 2 || string(closed[0].State)+": "+closed[0].Error != want {
		t.Errorf("moved %v, closed %v", topped, closed)
	}
}
