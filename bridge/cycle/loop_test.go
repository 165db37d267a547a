package cycle_test

import (
	"os"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// full fills the cluster with two long jobs of one user.
func (r *rig) full(comment string) (a, b int64) {
	a = r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour, Comment: comment, Checkpoints: true})
	b = r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour, Comment: comment, Checkpoints: true})
	r.w.Advance(r.w.Now().Add(time.Minute))
	return a, b
}

func TestObserveSendsNothing(t *testing.T) {
	r := newRig(t, bridge.ModeObserve, "tiresias", nil)
	r.full("fairbridge:preemptible")
	for range 6 {
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 4})
	}
	last := r.cycles(12)
	if len(r.wire.applied) > 0 {
		t.Errorf("observe mode sent %v", r.wire.applied)
	}
	if len(last.PartitionResults) != 1 || len(last.PartitionResults[0].Plan.Decisions) != 8 {
		t.Errorf("observing made no plan: %+v", last)
	}
	if c := r.db.LastCycle("gpu"); c == nil || len(c.Plan.Decisions) != 8 {
		t.Errorf("the stored plan is %+v, want 8 decisions", c)
	}
}

func TestRankFollowsThePolicy(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	var hog, other []int64
	for range 3 {
		hog = append(hog, r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8}))
		r.w.Advance(r.w.Now().Add(time.Second))
	}
	for range 3 {
		other = append(other, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8}))
		r.w.Advance(r.w.Now().Add(time.Second))
	}
	r.cycles(2)
	if len(r.wire.applied) > 0 {
		t.Fatalf("sent %v before it was warm", r.wire.applied)
	}
	r.cycles(2)
	if r.job(other[0]).Priority <= r.job(hog[0]).Priority {
		t.Errorf("the account that holds nothing has priority %d, the one that holds all %d", r.job(other[0]).Priority, r.job(hog[0]).Priority)
	}
	for kind := range r.kinds() {
		if kind != slurm.EditSiteFactor {
			t.Errorf("rank mode sent %s", kind)
		}
	}
	sent := len(r.wire.applied)
	r.cycles(5)
	if more := len(r.wire.applied) - sent; more > 2 {
		t.Errorf("%d more edits in five cycles without news: %v", more, r.wire.applied[sent:])
	}
}

func TestPreemptRequeuesOnceAndTheWorkIsDoneOnce(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	a, b := r.full("fairbridge:preemptible,ckpt=10s")
	r.w.Advance(r.w.Now().Add(2 * time.Hour)) // far into the second queue
	short := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
	for range 40 {
		r.cycles(1)
		if j := r.job(short); !j.IsPending() {
			break
		}
	}
	if j := r.job(short); j.IsPending() {
		t.Fatalf("the new job still waits; sent %v; log:\n%s", r.wire.applied, r.log.String())
	}
	if n := r.kinds()[slurm.EditRequeue]; n != 1 {
		t.Errorf("%d requeues, want one", n)
	}
	if !r.w.RunUntilIdle(r.w.Now().Add(48 * time.Hour)) {
		t.Fatal("not every job ended")
	}
	ends := map[int64]int{}
	for _, s := range r.w.EndedRuns() {
		if s.EndState == "COMPLETED" {
			ends[s.JobID]++
		}
	}
	for _, id := range []int64{a, b, short} {
		if ends[id] != 1 {
			t.Errorf("job %d completed %d times", id, ends[id])
		}
	}
}

func TestHeldJobsAreNeverTouched(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	r.full("fairbridge:preemptible")
	mine := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, Hold: true})
	admins := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	if err := r.w.Hold(sim.OperatorUser, admins); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	}
	r.cycles(10)
	for _, e := range r.wire.applied {
		if e.Run.Job == mine || e.Run.Job == admins {
			t.Errorf("sent %v to a held job", e)
		}
	}
	if !r.job(mine).IsHeld || !r.job(admins).IsHeld {
		t.Error("a hold was broken")
	}
}

func TestAHoldBetweenLookingAndPushingIsRespected(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "fifo", nil)
	r.full("")
	id := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	r.wire.between = func(w *sim.World) { _ = w.Hold("new", id) }
	r.cycles(6)
	for _, e := range r.wire.applied {
		if e.Run.Job == id {
			t.Errorf("sent %v after its owner held it", e)
		}
	}
}

func TestStopFileStopsEverything(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	if err := os.WriteFile(r.stops, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	last := r.cycles(5)
	if len(r.wire.applied) > 0 || last.Result != cycle.ResultInDoubt {
		t.Errorf("with a STOP file: %s, sent %v", last.Result, r.wire.applied)
	}
	_ = os.Remove(r.stops)
	r.cycles(3)
	if len(r.wire.applied) == 0 {
		t.Errorf("nothing sent after the STOP file went; log:\n%s", r.log.String())
	}
}

func TestASecondDaemonStandsBy(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	first := r.loop
	r.conf.DaemonName = "test:2"
	r.restart()
	if rep := first.Step(t.Context()); rep.Result == cycle.ResultStandby {
		t.Fatal("the first daemon does not lead")
	}
	if rep := r.loop.Step(t.Context()); rep.Result != cycle.ResultStandby || rep.LeaderName != "test:1" {
		t.Errorf("the second daemon: %s, leader %q", rep.Result, rep.LeaderName)
	}
}

// TestWarmAgainAfterStandingBy: while another led, the queue was its to change.
// What this daemon saw before that is no ground to push on at once.
func TestWarmAgainAfterStandingBy(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	if r.cycles(4); len(r.wire.applied) == 0 {
		t.Fatalf("nothing sent; log:\n%s", r.log.String())
	}
	if err := r.db.Resign(t.Context(), "lab", "test:1"); err != nil {
		t.Fatal(err)
	}
	if _, _, held, err := r.db.Lead(t.Context(), "lab", "other:1", time.Hour); err != nil || !held {
		t.Fatal("the other does not lead: ", err)
	}
	if last := r.cycles(1); last.Result != cycle.ResultStandby {
		t.Fatalf("%s while another leads", last.Result)
	}
	r.submit(sim.JobSpec{User: "third", Account: "z", GPUs: 8})
	if err := r.db.Resign(t.Context(), "lab", "other:1"); err != nil {
		t.Fatal(err)
	}
	sent := len(r.wire.applied)
	r.cycles(r.conf.WarmupPolls)
	if more := r.wire.applied[sent:]; len(more) > 0 {
		t.Errorf("sent %v before it was warm again", more)
	}
	if r.cycles(2); len(r.wire.applied) == sent {
		t.Errorf("nothing sent when warm again; log:\n%s", r.log.String())
	}
}

// TestStopFileWithinAPush: the file is looked for before every call.
func TestStopFileWithinAPush(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	for range 4 {
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	}
	r.wire.between = func(*sim.World) { _ = os.WriteFile(r.stops, nil, 0o600) }
	r.cycles(5)
	if n := len(r.wire.applied); n != 1 {
		t.Errorf("%d calls, want the one that was under way when %s appeared", n, r.stops)
	}
}

func TestALowerModeTakesBackWhatAHigherOneSet(t *testing.T) {
	r := newRig(t, bridge.ModeSteer, "fifo", nil)
	r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUsPerNode: 8, MinNodes: 2})
	small := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 4, TimeLimit: 12 * time.Hour})
	r.cycles(4)
	if j := r.job(small); !j.IsPending() || !j.EligibleTime.After(r.w.Now()) {
		t.Fatalf("the small job is not held: %s, eligible %v; sent %v", j.State, j.EligibleTime, r.wire.applied)
	}
	r.conf.Partitions[0].Mode = bridge.ModeRank
	r.restart()
	r.cycles(4)
	if j := r.job(small); j.IsPending() && j.EligibleTime.After(r.w.Now()) {
		t.Errorf("in rank mode the small job is still held until %v", j.EligibleTime)
	}
}

func TestReleaseGivesEverythingBack(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	r.full("fairbridge:preemptible")
	var ids []int64
	for i := range 6 {
		s := sim.JobSpec{User: "new", Account: "y", GPUs: 4 + 4*(i%2)}
		if i == 2 {
			s.RequiredNodes = []string{"n2"}
		}
		ids = append(ids, r.submit(s))
	}
	before := map[int64]slurm.Job{}
	for _, id := range ids {
		before[id] = r.job(id)
	}
	r.cycles(5)
	if len(r.wire.applied) == 0 {
		t.Fatal("nothing was sent that could be given back")
	}
	_ = r.loop // the daemon is dead; its lease in the leader row runs out or is taken
	rel := r.releaser()
	out, err := rel.Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.w.Advance(r.w.Now().Add(5 * time.Second))
	again, err := rel.FindReleasable(t.Context())
	if err != nil || len(again.Edits) > 0 {
		t.Errorf("left after release: %v, %v; gave back %v", again.Edits, err, out.Edits)
	}
	for id, was := range before {
		is := r.job(id)
		if is.IsPending() && (is.RequiredNodes.Text != was.RequiredNodes.Text || is.EligibleTime.After(r.w.Now()) || is.Priority > 11_001) {
			t.Errorf("job %d: required %q, begin %v, priority %d", id, is.RequiredNodes.Text, is.EligibleTime, is.Priority)
		}
	}
}
