package storetest

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// readPast returns what is known as of a second.
func (s StoreWithClock) readPast(t *testing.T, at int) *bridge.Past {
	t.Helper()
	p, err := s.Past(t.Context(), ClusterName, AtSecond(at))
	failOnError(t, err)
	return p
}

// recentGPUSeconds returns the GPU time of the last day on the books, as of a second.
func (s StoreWithClock) recentGPUSeconds(t *testing.T, at int) (sum float64) {
	t.Helper()
	for _, a := range s.readPast(t, at).Accounts {
		sum += float64(a.RecentService)
	}
	return sum
}

// endJob returns the running job when it has ended.
func endJob(j slurm.Job, at int) slurm.Job {
	j.State, j.End, j.GresDetail = "COMPLETED", AtSecond(at), nil
	return j
}

// testOlderView: a view older than the last is an error and stores nothing; a last one of a
// future that is not is healed by the next.
func testOlderView(t *testing.T, s StoreWithClock) {
	ctx, run := t.Context(), NewRunningJob(1, StartTime, AtSecond(10))
	failOnError(t, s.RecordView(ctx, NewView(AtSecond(60), run)))
	if err := s.RecordView(ctx, NewView(AtSecond(50), endJob(run, 40))); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view: %v, want ErrOlderView", err)
	}
	if got := s.recentGPUSeconds(t, 60); got != 4*50 {
		t.Errorf("%.0f GPU-seconds, want 200", got)
	}
	failOnError(t, s.RecordView(ctx, NewView(AtSecond(60+30*86_400), run)))
	failOnError(t, s.RecordView(ctx, NewView(AtSecond(90), run))) // the clock is put right
	if got := s.recentGPUSeconds(t, 90); got != 4*80 {
		t.Errorf("once the clock is put right: %.0f GPU-seconds, want 320", got)
	}
	failOnError(t, s.RecordView(ctx, NewView(AtSecond(120), endJob(run, 100))))
	if got := s.recentGPUSeconds(t, 130); got != 4*90 {
		t.Errorf("the job ended after 90 s: %.0f GPU-seconds, want 360", got)
	}
	if err := s.RecordView(ctx, NewView(AtSecond(100), run)); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view, afterwards: %v", err)
	}
}

// testViewTwice: one job is unlisted for a while, another for good.
func testViewTwice(t *testing.T, s StoreWithClock) {
	run, back, gone := NewRunningJob(1, StartTime, AtSecond(10)), NewRunningJob(2, StartTime, AtSecond(20)), NewRunningJob(3, StartTime, AtSecond(20))
	for i, v := range []*slurm.View{
		NewView(AtSecond(30), run, back, gone), NewView(AtSecond(60), run, gone), NewView(AtSecond(90), run, back), NewView(AtSecond(120), endJob(run, 100), endJob(back, 110)), NewView(AtSecond(150)),
	} {
		failOnError(t, s.RecordView(t.Context(), v))
		was := s.readPast(t, 200)
		failOnError(t, s.RecordView(t.Context(), v))
		if diff := cmp.Diff(was, s.readPast(t, 200), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("recording view %d again changed the past:\n%s", i, diff)
		}
	}
	if got := s.recentGPUSeconds(t, 200); got != 4*90+4*90+4*40 { // the last was last seen in second 60
		t.Errorf("%.0f GPU-seconds, want 880", got)
	}
	want := []policy.FinishedJob{{GPUs: 4, Ran: 90 * time.Second, Service: 360}, {GPUs: 4, Ran: 90 * time.Second, Service: 360}}
	if diff := cmp.Diff(want, s.readPast(t, 200).FinishedJobs); diff != "" {
		t.Errorf("finished jobs:\n%s", diff)
	}
}

func testPastOfRequeuedJob(t *testing.T, s StoreWithClock) {
	run := NewRunningJob(1, StartTime, AtSecond(10))
	again := ChangeJob(run, func(j *slurm.Job) { j.Submit, j.Restarts, j.Start = AtSecond(80), 1, AtSecond(200) })
	waiting := ChangeJob(again, func(j *slurm.Job) {
		j.State, j.Start, j.Nodes, j.GresDetail = "PENDING", time.Time{}, slurm.Hosts{}, nil
	})
	for _, v := range []*slurm.View{NewView(AtSecond(20), run), NewView(AtSecond(90), waiting), NewView(AtSecond(230), again)} {
		failOnError(t, s.RecordView(t.Context(), v))
	}
	p := s.readPast(t, 260)
	want := bridge.JobPast{Arrive: StartTime, FirstStart: AtSecond(10), LastStop: AtSecond(80), Attained: 4 * 70}
	if diff := cmp.Diff(want, p.PastByJob[1], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("past of job 1:\n%s", diff)
	}
	if len(p.Users) != 1 || len(p.Accounts) != 1 {
		t.Fatalf("%d users, %d accounts; want 1 and 1", len(p.Users), len(p.Accounts))
	}
	half := (7 * 24 * time.Hour).Seconds()
	used := decayedUsage(4, 10, 80, 260, half) + decayedUsage(4, 200, 260, 260, half)
	if math.Abs(float64(p.Users[0].UsedService)-used) > 1e-6*used || p.Users[0].Name != "ann" || p.Accounts[0].UsedService != p.Users[0].UsedService {
		t.Errorf("usage %+v and %+v, want %v", p.Users, p.Accounts, used)
	}
	if p.Accounts[0].RecentService != 4*(70+60) {
		t.Errorf("recent %v, want 520", float64(p.Accounts[0].RecentService))
	}
}

// decayedUsage is the closed form of decayed use: the integral of 2^(-age/half).
func decayedUsage(gpus, from, to, now, half float64) float64 {
	k := math.Ln2 / half
	return gpus / k * (math.Exp(-k*(now-to)) - math.Exp(-k*(now-from)))
}

// testOurRequeues: those that reached Slurm, or may have, since the job arrived.
func testOurRequeues(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	again := ChangeJob(NewRunningJob(1, AtSecond(0), AtSecond(200)), func(j *slurm.Job) { j.Restarts = 1 })
	failOnError(t, s.RecordView(t.Context(), NewView(AtSecond(230), again)))
	var want []time.Time
	for i, path := range [][]bridge.IntentState{
		{bridge.IntentVoid}, {bridge.IntentSent, bridge.IntentAcked, bridge.IntentObserved, bridge.IntentExpired, bridge.IntentExpired}, {bridge.IntentSent, bridge.IntentFailed},
		{bridge.IntentSent, bridge.IntentUnknown, bridge.IntentObserved, bridge.IntentYielded}, {bridge.IntentSent, bridge.IntentUnknown},
	} {
		in := NewLeaseIntent(1, epoch)
		in.Edit.Kind, in.Made, in.Before.Stop = slurm.EditRequeue, AtSecond(10*i), &bridge.StopCost{User: "ann", GPUs: 4}
		in = s.intendWithoutCycle(t, in)[0]
		for _, state := range path {
			if in.State = state; state == bridge.IntentSent {
				in.Sent = AtSecond(10*i + 1)
			}
			failOnError(t, s.UpdateIntent(t.Context(), in))
		}
		if i%2 == 1 || i == 4 {
			want = append(want, AtSecond(10*i+1))
		}
	}
	if diff := cmp.Diff(want, s.readPast(t, 260).PastByJob[1].RequeueTimes); diff != "" {
		t.Errorf("requeues of job 1:\n%s", diff)
	}
}

// ClusterName names the cluster that is written about.
const ClusterName = "c1"

// StartTime is when the tests happen.
var StartTime = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// AtSecond returns the time some seconds after StartTime.
func AtSecond(n int) time.Time { return StartTime.Add(time.Duration(n) * time.Second) }

// NewCycle makes a cycle whose snapshot has the digest.
func NewCycle(seq uint64, epoch int64, digest string) *bridge.Cycle {
	return &bridge.Cycle{
		Cluster: ClusterName, Seq: seq, Epoch: epoch, At: StartTime.Add(time.Duration(seq) * time.Minute), Partition: "gpu", Mode: bridge.ModeRank,
		Policy: "fifo", Params: "{}", Snapshot: []byte(`{"seq":1}`), SnapshotDigest: digest, StepTimes: map[string]string{"decide": "1ms"},
		Plan: &policy.Plan{SnapshotSeq: seq, Policy: "fifo", Memo: policy.MemoFromJSON([]byte(`{"b":1, "a":[2]}`))},
	}
}

// NewCycleOfWaitingJobs makes a cycle whose plan has n waiting jobs.
func NewCycleOfWaitingJobs(seq uint64, epoch int64, n int) *bridge.Cycle {
	c := NewCycle(seq, epoch, "d1")
	for i := range n {
		c.Plan.Decisions = append(c.Plan.Decisions, policy.Decision{Job: policy.JobID(i + 1), Verb: policy.Wait, Rank: i + 1, GPUs: 1, Why: "3 jobs are ahead, the first with 12.50 GPU-h less used"})
	}
	return c
}

// NewLeaseIntent makes an intent for the begin time of a waiting job.
func NewLeaseIntent(job, epoch int64) bridge.Intent {
	return bridge.Intent{
		Cluster: ClusterName, Epoch: epoch, Policy: "fifo", State: bridge.IntentPlanned, Made: StartTime, NotAfter: StartTime.Add(10 * time.Minute),
		Edit:   slurm.Edit{Run: slurm.Run{Job: job, Submit: StartTime.Unix(), SLUID: "s1"}, Kind: slurm.EditLease, Until: StartTime.Add(10 * time.Minute), Tasks: 1, Why: "others are ahead"},
		Before: bridge.JobBefore{Eligible: StartTime, Begin: StartTime.Add(-time.Minute), Priority: 4294901759, Nice: -5, Required: slurm.ReadHosts("n[1-2]"), OurValue: 7, State: "PENDING"},
	}
}

// NewView makes a view of what Slurm shows at a time.
func NewView(at time.Time, jobs ...slurm.Job) *slurm.View {
	return &slurm.View{Cluster: ClusterName, Release: "26.05.5", APIVersion: "v0.0.45", At: at, IsFullRead: true, Jobs: jobs}
}

// NewRunningJob makes a job that runs on 4 GPUs of n1 since start.
func NewRunningJob(id int64, submit, start time.Time) slurm.Job {
	return slurm.Job{
		ID: id, Name: "train", User: "ann", Account: "phys", Partitions: []string{"gpu"}, State: "RUNNING", Submit: submit, Start: start,
		TimeLimit: time.Hour, Nodes: slurm.ReadHosts("n1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:a100:4(IDX:0-3)"}), AllocatedTRES: slurm.ReadTRES("cpu=8,gres/gpu=4,gres/gpu:a100=4"), IsBatch: true, Requeue: true,
	}
}

// ChangeJob returns the job, changed.
func ChangeJob(j slurm.Job, f func(*slurm.Job)) slurm.Job {
	f(&j)
	return j
}
