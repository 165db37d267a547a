package replay

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// queued is a job that waits since so many minutes after midnight.
func queued(id int64, arrive float64, change func(*policy.Job)) policy.Job {
	j := policy.Job{ID: policy.JobID(id), User: "u", Account: "a", State: policy.Pending, Arrive: midnight.Add(time.Duration(arrive * float64(time.Minute))),
		Limit: time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 2}}, UnstoppableReason: "no"}
	if change != nil {
		change(&j)
	}
	return j
}

// TestJobsGoOn: at the end of the day one job runs, one was requeued and waits, two never ran.
func TestJobsGoOn(t *testing.T) {
	open := func(r *bridge.PastRun) { r.HasEnded, r.State = false, "RUNNING" }
	requeued := func(r *bridge.PastRun) { r.StoppedByUs, r.State = true, "REQUEUED" }
	a := past(t, run(1, 0, 0, 60, nil), run(2, 600, 1400, 1440, open), run(3, 600, 1200, 1260, requeued))
	a.AtEnd = []policy.Job{
		queued(2, 600, func(j *policy.Job) {
			j.State, j.Start, j.PredictedLeft = policy.Running, midnight.Add(1400*time.Minute), 10*time.Minute
		}),
		queued(3, 600, nil),
		queued(4, 700, func(j *policy.Job) { j.PredictedLeft, j.PredictedSigma = 20*time.Minute, 5*time.Minute }),
		queued(5, 700, func(j *policy.Job) { j.HeldReason = "held" }),
		queued(6, 710, func(j *policy.Job) { j.Tasks = 2 }),
	}
	s := site(t, a)
	end := 24 * time.Hour.Seconds()
	want := map[int64][3]float64{ // start, finish, work
		1: {0, 3600, 3600}, 2: {84000, end + 600, 2400 + 600}, 3: {72000, end + 3600, 3600 + 3600},
		4: {end, end + 1200, 1200}, 6: {end, end + 3600, 3600}, 7: {end, end + 3600, 3600},
	}
	if len(s.RealRun.JobOutcomes) != len(want) || s.OwnStopCount != 1 {
		t.Errorf("%d jobs, %d stops: %+v", len(s.RealRun.JobOutcomes), s.OwnStopCount, s.RealRun.JobOutcomes)
	}
	for i, o := range s.RealRun.JobOutcomes {
		if got := [3]float64{o.Start, o.Finish, o.ExclusiveRunSeconds}; got != want[o.ID] || s.Jobs[i].Duration != o.ExclusiveRunSeconds || !s.ArrivedWithinPeriod[o.ID] {
			t.Errorf("job %d: start, finish and work %v, want %v; it runs %g", o.ID, got, want[o.ID], s.Jobs[i].Duration)
		}
	}
	for id, want := range map[int64]UnendedJob{2: {2400, 600, 600, 1200}, 3: {3600, 3600, 3600, 3600}, 4: {0, 1200, 1500, 3600}} {
		if got := s.Unended[id]; got != want {
			t.Errorf("job %d is known to have %+v, want %+v", id, got, want)
		}
	}
	if _, known := s.Unended[1]; known || len(s.Unended) != 5 {
		t.Errorf("not ended: %v", s.Unended)
	}
	if said := strings.Join(s.Remarks, "\n"); !strings.Contains(said, "not ended yet: 5 jobs") || strings.Contains(said, "still running") {
		t.Error(said)
	}
}
