package slurm

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSameRun(t *testing.T) {
	a := Run{Job: 1, Submit: 100, Restarts: 2, SLUID: "s1"}
	for _, tt := range []struct {
		with Run
		want bool
	}{
		{a, true},
		{Run{Job: 1, Submit: 100, Restarts: 2}, true},               // no SLUID to compare
		{Run{Job: 1, Submit: 100, Restarts: 2, SLUID: "s2"}, false}, // the SLUID decides
		{Run{Job: 1, Submit: 100, Restarts: 3}, false},
		{Run{Job: 1, Submit: 101, Restarts: 2}, false},
		{Run{Job: 2, Submit: 100, Restarts: 2, SLUID: "s1"}, false},
	} {
		if got := a.IsSameRun(tt.with); got != tt.want {
			t.Errorf("%+v: %v", tt.with, got)
		}
		if got := tt.with.IsSameRun(a); got != tt.want {
			t.Errorf("%+v, the other way: %v", tt.with, got)
		}
	}
}

func TestViewJob(t *testing.T) {
	v := View{Jobs: []Job{{ID: 2}, {ID: 5}, {ID: 9}}}
	for id, want := range map[int64]bool{1: false, 2: true, 4: false, 5: true, 9: true, 10: false} {
		if j := v.Job(id); (j != nil) != want || want && j.ID != id {
			t.Errorf("job %d: %v", id, j)
		}
	}
}

// TestRefusalReasonsHaveShortDurations: 24h, not 24h0m0s.
func TestRefusalReasonsHaveShortDurations(t *testing.T) {
	p := Partition{Name: "gpu", State: "UP", MaxTimeMinutes: 24 * 60}
	for limit, want := range map[time.Duration]string{36 * time.Hour: "36h", 25*time.Hour + 10*time.Minute: "25h10m", 30*time.Hour + time.Second: "30h0m1s"} {
		if got := p.RefusalReason(&Job{TimeLimit: limit}); got != "partition gpu takes jobs of at most 24h, and its limit is "+want {
			t.Errorf("%v: %s", limit, got)
		}
	}
	p.MaxTimeMinutes = 10
	if got := p.RefusalReason(&Job{TimeLimit: time.Hour}); got != "partition gpu takes jobs of at most 10m, and its limit is 1h" {
		t.Error(got)
	}
}

// TestAJobIsFoundAmongAnyIDs wants the first record with the id, however dense ids are.
func TestAJobIsFoundAmongAnyIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, id := View{}, int64(rapid.IntRange(0, 3).Draw(t, "first id"))
		for _, step := range rapid.SliceOfN(rapid.SampledFrom([]int64{0, 1, 1, 1, 2, 40}), 0, 30).Draw(t, "steps") {
			id += step
			v.Jobs = append(v.Jobs, Job{ID: id})
		}
		for ask := int64(-2); ask <= id+2; ask++ {
			var want *Job
			if i := slices.IndexFunc(v.Jobs, func(j Job) bool { return j.ID == ask }); i >= 0 {
				want = &v.Jobs[i]
			}
			if got := v.Job(ask); got != want {
				t.Fatalf("job %d: %p, want %p", ask, got, want)
			}
		}
	})
}
