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

// past returns what is known as of a second.
func (s StoreWithClock) past(t *testing.T, at int) *bridge.Past {
	t.Helper()
	p, err := s.Past(t.Context(), Cluster, At(at))
	must(t, err)
	return p
}

// held is the GPU time of the last day on the books, in seconds, as of a second.
func (s StoreWithClock) held(t *testing.T, at int) (sum float64) {
	t.Helper()
	for _, a := range s.past(t, at).Accounts {
		sum += float64(a.RecentService)
	}
	return sum
}

// endedJob is the running job when it has ended.
func endedJob(j slurm.Job, at int) slurm.Job {
	j.State, j.End, j.GresDetail = "COMPLETED", At(at), nil
	return j
}

// olderViews: a view older than the last is an error and stores nothing; a last one of a
// future that is not is healed by the next.
func olderViews(t *testing.T, s StoreWithClock) {
	ctx, run := t.Context(), RunningJob(1, Start, At(10))
	must(t, s.RecordView(ctx, View(At(60), run)))
	if err := s.RecordView(ctx, View(At(50), endedJob(run, 40))); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view: %v, want ErrOlder", err)
	}
	if got := s.held(t, 60); got != 4*50 {
		t.Errorf("%.0f GPU-seconds, want 200", got)
	}
	must(t, s.RecordView(ctx, View(At(60+30*86_400), run)))
	must(t, s.RecordView(ctx, View(At(90), run))) // the clock is put right
	if got := s.held(t, 90); got != 4*80 {
		t.Errorf("once the clock is put right: %.0f GPU-seconds, want 320", got)
	}
	must(t, s.RecordView(ctx, View(At(120), endedJob(run, 100))))
	if got := s.held(t, 130); got != 4*90 {
		t.Errorf("the job ended after 90 s: %.0f GPU-seconds, want 360", got)
	}
	if err := s.RecordView(ctx, View(At(100), run)); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view, afterwards: %v", err)
	}
}

// viewTwice: one job is unlisted for a while, another for good.
func viewTwice(t *testing.T, s StoreWithClock) {
	run, back, gone := RunningJob(1, Start, At(10)), RunningJob(2, Start, At(20)), RunningJob(3, Start, At(20))
	for i, v := range []*slurm.View{
		View(At(30), run, back, gone), View(At(60), run, gone), View(At(90), run, back), View(At(120), endedJob(run, 100), endedJob(back, 110)), View(At(150)),
	} {
		must(t, s.RecordView(t.Context(), v))
		was := s.past(t, 200)
		must(t, s.RecordView(t.Context(), v))
		if diff := cmp.Diff(was, s.past(t, 200), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("recording view %d again changed the past:\n%s", i, diff)
		}
	}
	if got := s.held(t, 200); got != 4*90+4*90+4*40 { // the last was last seen in second 60
		t.Errorf("%.0f GPU-seconds, want 880", got)
	}
	want := []policy.FinishedJob{{GPUs: 4, Ran: 90 * time.Second, Service: 360}, {GPUs: 4, Ran: 90 * time.Second, Service: 360}}
	if diff := cmp.Diff(want, s.past(t, 200).FinishedJobs); diff != "" {
		t.Errorf("finished jobs:\n%s", diff)
	}
}

func pastOfARequeuedJob(t *testing.T, s StoreWithClock) {
	run := RunningJob(1, Start, At(10))
	again := WithChange(run, func(j *slurm.Job) { j.Submit, j.Restarts, j.Start = At(80), 1, At(200) })
	waiting := WithChange(again, func(j *slurm.Job) {
		j.State, j.Start, j.Nodes, j.GresDetail = "PENDING", time.Time{}, slurm.Hosts{}, nil
	})
	for _, v := range []*slurm.View{View(At(20), run), View(At(90), waiting), View(At(230), again)} {
		must(t, s.RecordView(t.Context(), v))
	}
	p := s.past(t, 260)
	want := bridge.JobPast{Arrive: Start, FirstStart: At(10), LastStop: At(80), Attained: 4 * 70}
	if diff := cmp.Diff(want, p.PastByJob[1], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("past of job 1:\n%s", diff)
	}
	if len(p.Users) != 1 || len(p.Accounts) != 1 {
		t.Fatalf("%d users, %d accounts; want 1 and 1", len(p.Users), len(p.Accounts))
	}
	half := (7 * 24 * time.Hour).Seconds()
	used := decayedUse(4, 10, 80, 260, half) + decayedUse(4, 200, 260, 260, half)
	if math.Abs(float64(p.Users[0].UsedService)-used) > 1e-6*used || p.Users[0].Name != "ann" || p.Accounts[0].UsedService != p.Users[0].UsedService {
		t.Errorf("usage %+v and %+v, want %v", p.Users, p.Accounts, used)
	}
	if p.Accounts[0].RecentService != 4*(70+60) {
		t.Errorf("recent %v, want 520", float64(p.Accounts[0].RecentService))
	}
}

// decayedUse is the closed form of decayed use: the integral of 2^(-age/half).
func decayedUse(gpus, from, to, now, half float64) float64 {
	k := math.Ln2 / half
	return gpus / k * (math.Exp(-k*(now-to)) - math.Exp(-k*(now-from)))
}

// ourRequeues: those that reached Slurm, or may have, since the job arrived.
func ourRequeues(t *testing.T, s StoreWithClock) {
	epoch := s.lead(t, "a")
	again := WithChange(RunningJob(1, At(0), At(200)), func(j *slurm.Job) { j.Restarts = 1 })
	must(t, s.RecordView(t.Context(), View(At(230), again)))
	var want []time.Time
	for i, path := range [][]bridge.IntentState{
		{bridge.IntentVoid}, {bridge.IntentSent, bridge.IntentAcked, bridge.IntentObserved, bridge.IntentExpired, bridge.IntentExpired}, {bridge.IntentSent, bridge.IntentFailed},
		{bridge.IntentSent, bridge.IntentUnknown, bridge.IntentObserved, bridge.IntentYielded}, {bridge.IntentSent, bridge.IntentUnknown},
	} {
		in := LeaseOf(1, epoch)
		in.Edit.Kind, in.Made, in.Before.Stop = slurm.EditRequeue, At(10*i), &bridge.StopCost{User: "ann", GPUs: 4}
		in = s.intend(t, in)[0]
		for _, state := range path {
			if in.State = state; state == bridge.IntentSent {
				in.Sent = At(10*i + 1)
			}
			must(t, s.UpdateIntent(t.Context(), in))
		}
		if i%2 == 1 || i == 4 {
			want = append(want, At(10*i+1))
		}
	}
	if diff := cmp.Diff(want, s.past(t, 260).PastByJob[1].RequeueTimes); diff != "" {
		t.Errorf("requeues of job 1:\n%s", diff)
	}
}
