package slurmtest

import (
	"context"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// The loop asks the cluster for hand-backs, which go through the writer.

func (l *control) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	return l.live.HandBack(ctx, e, held)
}

func (l *control) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	return l.live.FinishHandBacks(ctx, begun)
}

// run runs cycles and returns the causes of doubt.
func (l *control) run(t *testing.T, n int) (doubts string) {
	t.Helper()
	for range n {
		for _, d := range l.loop.Step(t.Context()).Doubts {
			doubts += string(d.Cause) + " "
		}
		advance(l.Server, l.conf.Interval)
	}
	return doubts
}

// killed is the daemon started again: all but the ledger is forgotten.
func (l *control) killed(t *testing.T) {
	t.Helper()
	l.dial()
	var err error
	if l.loop, err = cycle.New(l.conf, l.part); err != nil {
		t.Fatal(err)
	}
}

// direct is a control whose order is carried by priority itself, with one job
// in line that has a nice of its own and a priority of ours.
func direct(t *testing.T) (l *control, id int64) {
	t.Helper()
	l = newControl(t, "drf")
	l.conf.Order.Lever, l.conf.Partitions[0].Mode = bridge.LeverPriority, bridge.ModeRank
	l.killed(t)
	for range 2 {
		submit(t, l.Server, sim.JobSpec{User: "hog", Account: "h", GPUsPerNode: 8, WorkTime: 9 * time.Hour, TimeLimit: 10 * time.Hour})
	}
	advance(l.Server, time.Minute)
	submit(t, l.Server, sim.JobSpec{User: "alice", Account: "x"})
	id = submit(t, l.Server, sim.JobSpec{User: "alice", Account: "x", Nice: 50})
	submit(t, l.Server, sim.JobSpec{User: "alice", Account: "x"})
	l.WithWorld(func(w *sim.World) { // whoever has the lowest priority of all gets a number
		if err := w.Update(sim.OperatorUser, id, sim.JobUpdate{Nice: sim.Ptr(int64(50))}); err != nil {
			t.Fatal(err)
		}
	})
	l.run(t, 6)
	if intents := l.intents(t); len(intents) == 0 {
		t.Fatal("no priority of ours stands")
	} else {
		id = intents[len(intents)-1].Edit.Run.Job
	}
	return l, id
}

func (l *control) intents(t *testing.T) (standing []bridge.Intent) {
	t.Helper()
	all, err := l.part.Journal.Intents(t.Context(), "lab", l.now(), l.now())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		if in.State == bridge.IntentObserved && in.Edit.Kind == slurm.EditPriority {
			standing = append(standing, in)
		}
	}
	return standing
}

// giveBackAll releases in virtual time.
func (l *control) giveBackAll(t *testing.T) (*push.ReleaseResult, error) {
	t.Helper()
	r := push.Releaser{Ports: l.part.PushPorts(), Leadership: l.part.Leadership, ClusterName: "lab", HolderName: "test", Wait: func(context.Context, time.Duration) error {
		advance(l.Server, 5*time.Second)
		return nil
	}}
	if _, held, err := r.Lead(t.Context()); !held || err != nil {
		t.Fatalf("leading: %v %v", held, err)
	}
	return r.Release(t.Context())
}

// TestACutOffHandBackIsFinished: killed between hold and release, and then the
// release fails again and again for longer than any call may be late. The ledger
// does not forget: with the first try that works the job is free, and has its
// nice.
func TestACutOffHandBackIsFinished(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the writer's tries in real time")
	}
	l, id := direct(t)
	l.InjectFault(Fault{Kind: FaultErrorStatus, Method: "POST", SkipCount: 1, ErrorNumber: 1003})
	if _, err := l.giveBackAll(t); err == nil {
		t.Error("releasing went well without a release")
	}
	held := 0
	for _, in := range l.intents(t) {
		if j := job(t, l.Server, in.Edit.Run.Job); j.IsHeld && j.Reason == "JobHeldAdmin" {
			id, held = j.ID, held+1
		}
	}
	if held != 1 {
		t.Fatalf("%d jobs are held between two calls", held)
	}
	nice := int64(0)
	for _, in := range l.intents(t) {
		if in.Edit.Run.Job == id {
			nice = in.Before.Nice
		}
	}
	l.killed(t)
	for range 3 { // six minutes: whatever is late would have come
		if doubts := l.run(t, 1); doubts == "" {
			t.Error("a hold of ours stands, and there is no doubt")
		}
		advance(l.Server, 2*time.Minute)
		l.killed(t)
	}
	l.ClearFaults()
	l.run(t, 2)
	if j := job(t, l.Server, id); j.IsHeld || j.Nice != nice {
		t.Errorf("job %d: held %v (%s), nice %d, its owner's is %d", id, j.IsHeld, j.Reason, j.Nice, nice)
	}
	if out, err := l.giveBackAll(t); err != nil || len(out.Holds) > 0 {
		t.Errorf("after it was finished: %+v %v", out, err)
	}
}

// sentOnly puts a hand-back into the ledger that was marked as sent, and then the
// daemon died.
func (l *control) sentOnly(t *testing.T, id int64) {
	t.Helper()
	j := job(t, l.Server, id)
	epoch, _, _, err := l.part.Leadership.Lead(t.Context(), "lab", "test", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.part.Journal.StoreIntents(t.Context(), nil, []bridge.Intent{{
		Cluster: "lab", Epoch: epoch, Policy: "release", Made: l.now(), State: bridge.IntentPlanned,
		Edit:   slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditHandBackPriority, Tasks: 1},
		Before: bridge.JobBefore{Priority: j.Priority, State: j.State},
	}})
	if err != nil {
		t.Fatal(err)
	}
	list[0].State, list[0].Sent = bridge.IntentSent, l.now()
	if err := l.part.Journal.UpdateIntent(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
}

func (l *control) hold(t *testing.T, id int64) {
	t.Helper()
	l.WithWorld(func(w *sim.World) {
		if err := w.Hold(sim.OperatorUser, id); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAnAdministratorsHoldStands: a hand-back was marked as sent and never was;
// hours later an administrator holds the job. Nothing ends his hold, and release
// says what may have happened.
func TestAnAdministratorsHoldStands(t *testing.T) {
	l, id := direct(t)
	l.sentOnly(t, id)
	advance(l.Server, 2*time.Hour)
	l.hold(t, id)
	l.killed(t)
	if doubts := l.run(t, 6); doubts != "" {
		t.Errorf("in doubt: %s", doubts)
	}
	out, err := l.giveBackAll(t)
	if err != nil || len(out.Holds) != 1 || out.Holds[0].Ours || out.Holds[0].Run.Job != id {
		t.Errorf("release says %+v: %v", out.Holds, err)
	}
	if j := job(t, l.Server, id); !j.IsHeld {
		t.Error("the administrator's hold was ended")
	}
	advance(l.Server, 25*time.Hour)
	l.run(t, 3)
	if out, err := l.giveBackAll(t); err != nil || len(out.Holds) > 0 || !job(t, l.Server, id).IsHeld {
		t.Errorf("a day later release says %+v: %v", out.Holds, err)
	}
}

// TestAHoldSeenAtOnceIsOurs: the daemon died before it could write down that its
// hold was accepted, and is back within seconds.
func TestAHoldSeenAtOnceIsOurs(t *testing.T) {
	l, id := direct(t)
	l.sentOnly(t, id)
	l.hold(t, id)
	advance(l.Server, 5*time.Second)
	l.killed(t)
	l.run(t, 2)
	if j := job(t, l.Server, id); j.IsHeld {
		t.Errorf("job %d is held still (%s)", id, j.Reason)
	}
}
