package replay

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// What had ended by itself before the period teaches, all runs of a job together; what was
// under way, vanished or never ran does not.
func TestHistoryBeforeThePeriod(t *testing.T) {
	runs := []bridge.PastRun{
		run(1, -500, -400, -300, nil),
		run(2, -500, -400, -300, func(r *bridge.PastRun) { r.State = "REQUEUED" }), run(2, -500, -200, -100, func(r *bridge.PastRun) { r.State = "FAILED" }),
		run(3, -500, -400, 10, nil),
		run(4, -500, -400, -300, func(r *bridge.PastRun) { r.State = "VANISHED" }),
		run(5, -500, -400, -1, func(r *bridge.PastRun) { r.HasEnded = false }),
	}
	minutes := func(m float64) time.Time { return midnight.Add(time.Duration(m * float64(time.Minute))) }
	job := learn.Job{User: "u", Account: "a", Name: "n", GPUType: "a100", GPUs: 2, Limit: 2 * time.Hour}
	want := []learn.Run{
		{Job: job, Start: minutes(-400), End: minutes(-300), Ran: 100 * time.Minute},
		{Job: job, Start: minutes(-400), End: minutes(-100), Ran: 200 * time.Minute},
	}
	if d := cmp.Diff(want, endedJobs(runs, midnight)); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	p := period()
	p.Nodes = []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}}
	s, err := p.ReadScenario(t.Context(), record{runs: runs})
	if err != nil || len(s.History.Runs) != 2 || !s.History.Until.Equal(midnight) {
		t.Errorf("history %+v, %v", s.History, err)
	}
}

// Jobs that ran at the beginning get their GPUs back before those that waited then arrive.
func TestWhoRanAtTheBeginningStartsFirst(t *testing.T) {
	s := site(t, past(t, run(1, -60, 5, 30, nil), run(2, -60, -30, 30, nil), run(3, -60, 0.1, 30, nil)))
	arrive := map[int64]float64{}
	for i := range s.Jobs {
		arrive[s.Jobs[i].ID] = s.Jobs[i].Arrive
	}
	if d := cmp.Diff(map[int64]float64{2: 0, 3: 6, 1: settleSeconds}, arrive); d != "" {
		t.Errorf("arrivals (-want +got):\n%s", d)
	}
}

// A job that something else than us kept back counts for no job's wait, and arrives when it
// was last seen so.
func TestJobsKeptBack(t *testing.T) {
	a := past(t, run(1, 0, 0, 10, nil), run(2, 0, 60, 70, nil), run(3, 0, 60, 70, nil))
	a.LastSeenJobs = map[policy.JobID]policy.Job{
		2: {ID: 2, Arrive: midnight, HeldReason: "waits for afterok:1", EligibleAt: midnight.Add(50 * time.Minute), UnstoppableReason: "x"},
		3: {ID: 3, Arrive: midnight, HeldReason: "held by its owner", EligibleAt: midnight.Add(90 * time.Minute), UnstoppableReason: "x"},
	}
	s := site(t, a)
	if s.Jobs[1].Arrive != 3000 || s.Jobs[2].Arrive != 3600 || s.RealRun.JobOutcomes[2].Arrive != 3600 {
		t.Errorf("they arrive at %g and %g s", s.Jobs[1].Arrive, s.Jobs[2].Arrive)
	}
	if d := cmp.Diff(map[int64]bool{1: true, 2: false, 3: false}, s.ArrivedWithinPeriod); d != "" {
		t.Errorf("jobs that count (-want +got):\n%s", d)
	}
	if want := "kept back by a dependency, a reservation, a limit or an administrator: 2 jobs, arriving when last seen so"; !slices.Contains(s.Remarks, want) {
		t.Errorf("it is not said: %q", s.Remarks)
	}
}

// What the record knows and no simulation follows is counted.
func TestWhatIsNotSimulatedIsSaid(t *testing.T) {
	devices := []policy.NodeDevices{{Type: "a100", Count: 4}}
	r := record{runs: []bridge.PastRun{run(1, 0, 0, 60, nil)}, nodes: []policy.Node{
		{Name: "n1", Partitions: []string{"gpu"}, GPUs: devices, DownReason: "broken"},
		{Name: "n2", Partitions: []string{"debug", "gpu"}, GPUs: devices, Windows: []policy.Window{{From: midnight, Name: "m"}}},
	}}
	s, err := period().ReadScenario(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"down when last seen: 1 node, taken as up all the time", "with reservations when last seen: 1 node, taken as free of them",
		"in other partitions too: 1 node, whose other jobs are not simulated",
		"waiting still: 2 jobs, left out, as nobody knows how long they run", "ended before they started: 1 job, left out, though they stood in the queue",
	}
	if d := cmp.Diff(want, s.Remarks); d != "" {
		t.Errorf("remarks (-want +got):\n%s", d)
	}
	if s.Nodes[1].Windows != nil || s.Nodes[0].DownReason != "" {
		t.Errorf("nodes %+v", s.Nodes)
	}
}
