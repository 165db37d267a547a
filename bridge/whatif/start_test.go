package whatif

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/policy/paper/fifo"
)

// submit asks about a job in the scene of the other tests: six of eight GPUs of n1 are held for
// another 4 hours at most, four of n2 for another hour.
func submit(waiting ...policy.Job) *Submission {
	return &Submission{Snapshot: scene(waiting...), Policy: &fifo.Policy{Backfill: "easy"}, Calibration: &estimate.Calibration{}}
}

func mustEstimate(t *testing.T, q *Submission, j policy.Job) JobStart {
	t.Helper()
	startByJob, err := q.estimateJobs([]*policy.Job{&j}, Effort{})
	if err != nil {
		t.Fatal(err)
	}
	return startByJob[j.ID]
}

func TestAJobThatFitsStartsAtOnce(t *testing.T) {
	q := submit()
	jobs, accounts := len(q.Snapshot.Jobs), len(q.Snapshot.Accounts)
	j := NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 4}, 0, time.Hour)
	j.Account = "new"
	got := mustEstimate(t, q, j)
	if got.Start.Middle.Sub(noon) > time.Minute || !got.End.Middle.After(noon) || got.IsBeyondHorizon || got.Job.ID != 3 {
		t.Errorf("%+v", got)
	}
	if len(q.Snapshot.Jobs) != jobs || len(q.Snapshot.Accounts) != accounts {
		t.Error("the snapshot was changed")
	}
}

// Those that wait go first; bands are in order, and the same question has the same answer.
func TestAJobWaitsBehindTheLine(t *testing.T) {
	alone, behind := submit(), submit(wants(8, 1, 8, 10*time.Hour), wants(8, 1, 8, 10*time.Hour))
	j := NewRequest(alone.Snapshot, "gpu", policy.GPUs{Type: "a100", Count: 8}, 1, 2*time.Hour)
	first, later := mustEstimate(t, alone, j), mustEstimate(t, behind, j)
	if !later.Start.Middle.After(first.Start.Middle.Add(30 * time.Minute)) {
		t.Errorf("starts at %v alone, at %v behind two", first.Start, later.Start)
	}
	for _, b := range []estimate.Band{first.Start, first.End, later.Start, later.End} {
		if b.Early.After(b.Middle) || b.Middle.After(b.Late) {
			t.Errorf("a band out of order: %v", b)
		}
	}
	if later.End.Late.Before(later.Start.Late) || later.End.Early.Before(later.Start.Early) {
		t.Errorf("ends %v before it starts %v", later.End, later.Start)
	}
	if again := mustEstimate(t, behind, j); again.Start != later.Start || again.End != later.End {
		t.Errorf("%v, then %v", later, again)
	}
}

// A job whose run time is predicted ends by that, not by its limit.
func TestThePredictionDecidesTheEnd(t *testing.T) {
	q := submit()
	q.PredictTimeLeft = func(j *policy.Job) (left, sigma time.Duration) {
		if j.User != "ann" || !j.Arrive.Equal(noon) {
			t.Errorf("predicted for %+v", j)
		}
		return 40 * time.Minute, time.Minute
	}
	j := NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 1}, 0, 10*time.Hour)
	j.User = "ann"
	if got := mustEstimate(t, q, j); (got.End.Middle.Sub(noon) - 40*time.Minute).Abs() > 5*time.Minute {
		t.Errorf("ends at %v", got.End)
	}
}

// soonerThan returns the smaller requests that start sooner.
func soonerThan(q *Submission, as *JobStart) ([]JobStart, error) {
	_, sooner, err := q.EstimateTogether(as.Job, Effort{})
	return sooner, err
}

func TestSoonerRequestsAreMateriallySooner(t *testing.T) {
	q := submit()
	whole := mustEstimate(t, q, NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 8}, 1, 4*time.Hour))
	sooner, err := soonerThan(q, &whole)
	if err != nil || len(sooner) != 1 || sooner[0].Job.Ask.GPUs.Count != 4 || sooner[0].Job.Limit != 4*time.Hour {
		t.Fatalf("8 GPUs for 4 h: %+v, %v", sooner, err) // half fits now; what is shorter waits as long
	}
	if !whole.Start.Middle.After(sooner[0].Start.Middle.Add(minGain)) {
		t.Errorf("half at %v, all at %v", sooner[0].Start, whole.Start)
	}
	small := mustEstimate(t, q, NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 2}, 0, time.Hour))
	if sooner, err := soonerThan(q, &small); err != nil || len(sooner) != 0 {
		t.Errorf("one that starts at once: %+v, %v", sooner, err)
	}
}

// Before a maintenance a job of a quarter of the time fits, one of half does not.
func TestAShorterRequestFitsBeforeAWindow(t *testing.T) {
	q := submit()
	for i := range q.Snapshot.Nodes {
		q.Snapshot.Nodes[i].Windows = []policy.Window{{From: noon.Add(70 * time.Minute), To: noon.Add(8 * time.Hour), Name: "m1", IsMaintenance: true}}
	}
	as := mustEstimate(t, q, NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 2}, 0, 4*time.Hour))
	sooner, err := soonerThan(q, &as)
	if err != nil || len(sooner) != 1 || sooner[0].Job.Limit != time.Hour || sooner[0].Job.Ask.GPUs.Count != 2 {
		t.Errorf("%+v, %v; itself at %v", sooner, err, as.Start)
	}
}

func TestSmallerRequestsOfGangs(t *testing.T) {
	s := scene()
	for _, c := range []struct {
		gpus, nodes int
		want        string
	}{
		{1, 0, ""}, {8, 0, "4 GPUs"}, {9, 0, "4 GPUs"}, {16, 2, "8 GPUs on one node"}, {12, 3, "8 GPUs over 2 nodes"},
	} {
		j := NewRequest(s, "gpu", policy.GPUs{Count: c.gpus}, c.nodes, time.Hour)
		var got []string
		for _, r := range requestsWithLessRoom(&j) {
			got = append(got, r.Ask.Describe())
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%d GPUs on %d nodes: %q, want %q", c.gpus, c.nodes, got, c.want)
		}
	}
}

func TestCheckRequest(t *testing.T) {
	s := scene()
	for _, c := range []struct {
		partition, gpuType string
		gpus, nodes        int
		want               string
	}{
		{"gpu", "", 16, 2, ""}, {"gpu", "a100", 8, 0, ""},
		{"gpu", "", 17, 0, "partition gpu has not 17 GPUs: it has 16 a100"},
		{"gpu", "h100", 1, 0, "partition gpu has no GPUs of type h100: it has 16 a100"},
		{"cpu", "", 1, 0, "partition cpu has no GPUs: it has no node with GPUs"},
		{"gpu", "", 3, 3, "partition gpu has not 3 nodes with GPUs: it has 2"},
		{"gpu", "", 1, 2, "1 GPU are not enough for 2 nodes: each needs one"},
		{"gpu", "", 10, 1, "has no room for 10 GPUs on one node even if it were empty"},
	} {
		j := NewRequest(s, c.partition, policy.GPUs{Type: c.gpuType, Count: c.gpus}, c.nodes, time.Hour)
		err := CheckRequest(s, &j)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// brokenPolicy panics.
type brokenPolicy struct{}

func (brokenPolicy) Decide(*policy.Snapshot) (*policy.Plan, error) { panic("broken") }

func TestAPolicyThatPanicsIsAnError(t *testing.T) {
	q := submit()
	q.Policy = brokenPolicy{}
	j := NewRequest(q.Snapshot, "gpu", policy.GPUs{Count: 1}, 0, time.Hour)
	if _, _, err := q.EstimateTogether(j, Effort{}); err == nil || !strings.Contains(err.Error(), "panicked: broken") {
		t.Errorf("%v", err)
	}
}
