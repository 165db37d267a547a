package workday

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDayIsTheSeeds(t *testing.T) {
	if d := cmp.Diff(NewDay(7, 1), NewDay(7, 1)); d != "" {
		t.Errorf("the same seed gave two days:\n%s", d)
	}
	if cmp.Equal(NewDay(7, 1), NewDay(8, 1)) {
		t.Error("two seeds gave one day")
	}
}

func TestDayIsWhatThePlotNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, speed := rapid.Uint64().Draw(t, "seed"), rapid.Float64Range(1, 500).Draw(t, "speed")
		day := NewDay(seed, speed)
		if !slices.IsSortedFunc(day, func(a, b Job) int { return int(a.SubmitAt - b.SubmitAt) }) {
			t.Fatal("not in the order of submission")
		}
		names := map[string]bool{}
		accounts := map[string]bool{}
		arrays, gangs, asked := 0, 0, 0.0
		for i := range day {
			j := &day[i]
			if names[j.Name] {
				t.Fatalf("two jobs are called %s", j.Name)
			}
			names[j.Name], accounts[j.Account] = true, true
			if w := j.TotalGPUs(); w < 1 || w > 16 || j.GPUsPerNode > GPUsPerNode {
				t.Fatalf("%+v asks for %d GPUs", *j, w)
			}
			if j.WorkTime < time.Second || j.WorkTime%time.Second != 0 || j.TimeLimit <= j.WorkTime || j.TimeLimit%time.Minute != 0 {
				t.Fatalf("%+v: work or limit make no sense", *j)
			}
			if j.MayBeRequeued != (j.Account == "research") || WeightsByAccount[j.Account] == 0 {
				t.Fatalf("%+v: owner and opt-in", *j)
			}
			if j.ArrayTasks > 0 {
				arrays++
			}
			if j.NodeCount == 2 {
				gangs++
			}
			if j.MayBeRequeued && j.SubmitAt < day[len(day)-1].SubmitAt/4 {
				asked += float64(j.TotalGPUs())
			}
		}
		if len(accounts) != 3 || arrays == 0 || gangs < 2 || asked <= TotalGPUs {
			t.Fatalf("%d accounts, %d arrays, %d gangs, %v GPUs asked for in the morning", len(accounts), arrays, gangs, asked)
		}
	})
}

func TestSpeedShortensTheDay(t *testing.T) {
	whole, half := NewDay(3, 60), NewDay(3, 120)
	last := func(d []Job) time.Duration { return d[len(d)-1].SubmitAt }
	if got := last(half); (got - last(whole)/2).Abs() > time.Second {
		t.Errorf("at twice the speed the last job comes at %v, at the other at %v", got, last(whole))
	}
	if real := last(NewDay(3, 1)); real < 6*time.Hour || real > Hours*time.Hour {
		t.Errorf("of a real day the last job comes at %v", real)
	}
}
