package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// hourly is a scenario of one job of 1 to 4 GPUs an hour.
func hourly(t *testing.T, jobs int) *study.Scenario {
	t.Helper()
	nodes, err := cluster.ParseSpec("2x4")
	if err != nil {
		t.Fatal(err)
	}
	given := study.Scenario{Name: "hourly", Nodes: nodes}
	for i := range jobs {
		at := float64(3600 * i)
		given.Jobs = append(given.Jobs, workload.Job{ID: int64(i + 1), Account: "a", GPUs: 1 + i%4, Arrive: at, Duration: 600, Deadline: at + 1200})
	}
	s, err := study.NewScenario(given, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWindowsAreParts: a window is consecutive jobs from time 0, the same for a seed again and
// others for others, and leaves the scenario as it was.
func TestWindowsAreParts(t *testing.T) {
	s := hourly(t, 100)
	before := slices.Clone(s.Jobs)
	begins := map[int64]bool{}
	for seed := range int64(20) {
		w, err := s.TakeWindow(10, seed)
		again, _ := s.TakeWindow(10, seed)
		if err != nil || len(w.Jobs) != 10 || w.Jobs[0].ID != again.Jobs[0].ID || w.Jobs[0].Arrive != 0 {
			t.Fatalf("seed %d: %+v (%v)", seed, w.Jobs, err)
		}
		for i := range w.Jobs {
			j := &w.Jobs[i]
			if j.ID != w.Jobs[0].ID+int64(i) || j.Arrive != float64(3600*i) || j.Deadline != j.Arrive+1200 {
				t.Errorf("seed %d: job %d arrives at %g, deadline %g", seed, j.ID, j.Arrive, j.Deadline)
			}
		}
		begins[w.Jobs[0].ID] = true
	}
	if len(begins) < 10 {
		t.Errorf("20 seeds have windows at %d places", len(begins))
	}
	for i := range before {
		if s.Jobs[i].Arrive != before[i].Arrive || s.Jobs[i].Deadline != before[i].Deadline {
			t.Errorf("the scenario's own job %d was moved", before[i].ID)
		}
	}
	if whole, err := s.TakeWindow(100, 3); err != nil || whole.Jobs[99].ID != 100 {
		t.Errorf("a window of all jobs: %v", err)
	}
	if _, err := s.TakeWindow(101, 3); err == nil || !strings.Contains(err.Error(), "101 jobs") {
		t.Errorf("more jobs than there are: %v", err)
	}
}

// TestScaledArrivalsHaveTheLoad: the work over the GPUs' time from first to last arrival is the
// load, the order and run times stay, and deadlines move along.
func TestScaledArrivalsHaveTheLoad(t *testing.T) {
	for _, load := range []float64{0.1, 1, 3} {
		s, err := hourly(t, 41).ScaleToLoad(load)
		if err != nil {
			t.Fatal(err)
		}
		work := 0.0
		for i := range s.Jobs {
			j := &s.Jobs[i]
			work += float64(j.GPUs) * j.Duration
			if math.Abs(j.Deadline-j.Arrive-1200) > 1e-6 || i > 0 && j.Arrive <= s.Jobs[i-1].Arrive {
				t.Errorf("load %g: job %d arrives at %g, deadline %g", load, j.ID, j.Arrive, j.Deadline)
			}
		}
		if got := work / (8 * s.Jobs[40].Arrive); math.Abs(got-load) > 1e-9 {
			t.Errorf("load is %g, want %g", got, load)
		}
	}
	if _, err := hourly(t, 1).ScaleToLoad(1); err == nil {
		t.Error("one job has a load")
	}
}

// TestWindowsKnowWhatEndedBefore: a window teaches what had ended when it begins, each run as long ago as
// in the trace, and no more of it; one at the trace's begin teaches nothing.
func TestWindowsKnowWhatEndedBefore(t *testing.T) {
	s := hourly(t, 100)
	s.Jobs[0].Duration = 1000 * 3600 // ends after all windows
	seen := 0
	for seed := range int64(20) {
		w, err := s.TakeWindow(10, seed)
		if err != nil {
			t.Fatal(err)
		}
		first := int(w.Jobs[0].ID) - 1
		if want := max(0, first-1); len(w.History.Runs) != want {
			t.Fatalf("a window from job %d knows %d runs, want %d", first+1, len(w.History.Runs), want)
		}
		for i, r := range w.History.Runs {
			seen++
			if ago := w.History.Until.Sub(r.End); ago != time.Duration(first-1-i)*time.Hour-600*time.Second || r.Ran != 600*time.Second || r.Account != "a" || r.GPUType == "" {
				t.Errorf("a window from job %d: run %d ended %v ago: %+v", first+1, i, ago, r)
			}
		}
	}
	if seen == 0 {
		t.Error("no window has a history")
	}
}

// TestHistoryIsPartOfTheKey: a run of the same jobs with another history is another run.
func TestHistoryIsPartOfTheKey(t *testing.T) {
	w, err := hourly(t, 100).TakeWindow(10, 2)
	if err != nil || len(w.History.Runs) == 0 {
		t.Fatalf("no history (%v)", err)
	}
	without := *w
	without.History = study.History{}
	p := policyset.SlurmAlone()
	a, err1 := w.RunKey(p, study.RunOptions{})
	b, err2 := without.RunKey(p, study.RunOptions{})
	if a == b || err1 != nil || err2 != nil {
		t.Errorf("keys %s and %s (%v, %v)", a, b, err1, err2)
	}
}
