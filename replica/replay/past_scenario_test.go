package replay

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// run is a run from and to so many minutes after midnight.
func run(job int64, arrive, start, end float64, change func(*bridge.PastRun)) bridge.PastRun {
	at := func(m float64) time.Time { return midnight.Add(time.Duration(m * float64(time.Minute))) }
	r := bridge.PastRun{
		Job: policy.JobID(job), Arrive: at(arrive), Start: at(start), End: at(end), HasEnded: true, Name: "n", User: "u", Account: "a",
		State: "COMPLETED", GPUs: 2, LimitSeconds: 7200, GPUTypes: []string{"a100"}, NodeCount: 1,
	}
	if change != nil {
		change(&r)
	}
	return r
}

func past(t *testing.T, runs ...bridge.PastRun) Past {
	t.Helper()
	nodes, err := cluster.ParseSpec("2x4:a100")
	if err != nil {
		t.Fatal(err)
	}
	return Past{Name: "past", Partition: "gpu", Since: midnight, Until: midnight.Add(24 * time.Hour), Runs: runs, Nodes: nodes}
}

func site(t *testing.T, a Past) *PastScenario {
	t.Helper()
	s, err := NewPastScenario(a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJobsOfRuns(t *testing.T) {
	ours := func(r *bridge.PastRun) { r.StoppedByUs, r.State = true, "REQUEUED" }
	theirs := func(r *bridge.PastRun) { r.State = "NODE_FAIL" }
	for _, tt := range []struct {
		name string
		runs []bridge.PastRun
		job  workload.Job
		out  measure.JobOutcome
	}{
		{"plain", []bridge.PastRun{run(7, 10, 15, 25, nil)}, // the first to arrive: time begins with it
			workload.Job{Duration: 600, TimeLimit: 2 * time.Hour, IsUnstoppable: true},
			measure.JobOutcome{Start: 300, Finish: 900, ExclusiveRunSeconds: 600, HeldSeconds: 600, Service: 1200}},
		{"stopped by us: it went on", []bridge.PastRun{run(7, 0, 5, 15, ours), run(7, 0, 20, 40, nil)},
			workload.Job{Duration: 1800, TimeLimit: 2 * time.Hour},
			measure.JobOutcome{Start: 300, Finish: 2400, ExclusiveRunSeconds: 1800, HeldSeconds: 1800, Service: 3600, StopCount: 1}},
		{"stopped by a failure: it began anew", []bridge.PastRun{run(7, 0, 5, 15, theirs), run(7, 0, 20, 40, nil)},
			workload.Job{Duration: 1200, TimeLimit: 2 * time.Hour, IsUnstoppable: true},
			measure.JobOutcome{Start: 300, Finish: 2400, ExclusiveRunSeconds: 1200, HeldSeconds: 1800, Service: 3600, LostService: 1200, StopCount: 1}},
		{"there at the beginning", []bridge.PastRun{run(7, -60, -30, 30, nil)},
			workload.Job{Duration: 1800, TimeLimit: 90 * time.Minute, IsUnstoppable: true},
			measure.JobOutcome{Finish: 1800, ExclusiveRunSeconds: 1800, HeldSeconds: 1800, Service: 3600}},
		{"failed", []bridge.PastRun{run(7, 0, 0, 10, func(r *bridge.PastRun) { r.State, r.LimitSeconds = "FAILED", 0 })},
			workload.Job{Duration: 600, TimeLimit: 24 * time.Hour, IsUnstoppable: true, End: workload.Failed}, // the limit is drawn: none was known
			measure.JobOutcome{Finish: 600, ExclusiveRunSeconds: 600, HeldSeconds: 600, Service: 1200}},
	} {
		s := site(t, past(t, tt.runs...))
		j := tt.job
		j.ID, j.Name, j.User, j.Account, j.Partition, j.GPUs, j.GPUType, j.NodeCount, j.IsSilent = 7, "n", "u", "a", "gpu", 2, "a100", 1, true
		o := tt.out
		o.ID, o.User, o.Account, o.GPUCount = 7, "u", "a", 2
		if d := cmp.Diff([]workload.Job{j}, s.Jobs); d != "" {
			t.Errorf("%s: job (-want +got):\n%s", tt.name, d)
		}
		if d := cmp.Diff([]measure.JobOutcome{o}, s.RealRun.JobOutcomes); d != "" {
			t.Errorf("%s: outcome (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestWhoMayBeStopped(t *testing.T) {
	a := past(t, run(1, 0, 0, 10, func(r *bridge.PastRun) { r.QOS = "scavenger" }), run(2, 0, 0, 10, nil))
	a.OptIn = bridge.OptIn{Comment: true, QOS: []string{"scavenger"}}
	if s := site(t, a); s.Jobs[0].IsUnstoppable || !s.Jobs[1].IsUnstoppable {
		t.Errorf("fixed: %v %v, want the second alone", s.Jobs[0].IsUnstoppable, s.Jobs[1].IsUnstoppable)
	}
	a.LastSeenJobs = map[policy.JobID]policy.Job{2: {ID: 2, Arrive: midnight, CheckpointCost: 30 * time.Second}}
	if s := site(t, a); s.Jobs[1].IsUnstoppable || s.Jobs[1].RestartCostSeconds != 30 {
		t.Errorf("its owner opted in: %+v", s.Jobs[1])
	}
	a.LastSeenJobs[2] = policy.Job{ID: 2, Arrive: midnight.Add(-time.Hour)} // an earlier owner of the number
	if s := site(t, a); !s.Jobs[1].IsUnstoppable {
		t.Error("another job's owner opted in")
	}
	a.AllStoppable = true
	if s := site(t, a); s.Jobs[0].IsUnstoppable || s.Jobs[1].IsUnstoppable {
		t.Error("with --stoppable all may be")
	}
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	a := past(t, run(1, 0, 0, 10, func(r *bridge.PastRun) { r.GPUs = 64 }), run(2, 1, 2, 10, nil),
		run(2, 5, 20, 30, nil), run(3, 6, 20, 30, func(r *bridge.PastRun) { r.HasEnded, r.State = false, "RUNNING" }))
	s := site(t, a)
	if len(s.Jobs) != 3 || s.Jobs[0].ID != 2 || s.Jobs[1].ID != 4 || len(s.RealRun.JobOutcomes) != 3 {
		t.Errorf("jobs %+v", s.Jobs)
	}
	said := strings.Join(s.Remarks, "\n")
	for _, want := range []string{"left out, as the cluster cannot run them: 1 job", "still running: 1 job"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	peak := 0
	for _, x := range s.RealRun.Samples {
		peak = max(peak, x.BusyGPUs)
	}
	if last := s.RealRun.Samples[len(s.RealRun.Samples)-1]; peak != 4 || last.BusyGPUs != 0 || last.QueuedJobs != 0 {
		t.Errorf("at most %d GPUs were busy, want 4; in the end %+v", peak, last)
	}
}

func TestFidelity(t *testing.T) {
	s := site(t, past(t, run(1, -5, -1, 10, nil), run(2, 0, 10, 20, nil), run(3, 0, 20, 40, nil), run(4, 10, 10, 30, nil)))
	same := s.CompareRun(s.RealRun)
	if same.JobCount != 3 || same.JCTRankCorrelation != 1 || same.WaitRankCorrelation != 1 || same.MeanWait.RelativeError() != 0 || same.MedianWaitError != 0 {
		t.Errorf("compared with itself: %+v", same)
	}
	other := *s.RealRun
	other.JobOutcomes = append([]measure.JobOutcome{}, s.RealRun.JobOutcomes...)
	for i := range other.JobOutcomes { // the first waits longer, the second does not wait, the third as long as it did
		if o := &other.JobOutcomes[i]; o.ID == 2 {
			o.Start, o.Finish = o.Start+1200, o.Finish+1200
		} else if o.ID == 3 {
			o.Start, o.Finish = o.Start-1200, o.Finish-1200
		}
	}
	f := s.CompareRun(&other)
	// waits were 10, 20, 0 minutes and are 30, 0, 0.
	if f.MeanWait != (RealAndSimulated{600, 600}) || f.MedianWait != (RealAndSimulated{600, 0}) || f.MedianWaitError != 1200 {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.WaitRankCorrelation-0) > 1e-9 { // ranks 1, 2, 0 and 2, ½, ½
		t.Errorf("rank correlation of waits is %v", f.WaitRankCorrelation)
	}
}
