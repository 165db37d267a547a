package cycle_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// releaser leads, in place of the rig's daemon, and waits in Slurm's time.
func (r *rig) releaser() *push.Releaser {
	r.t.Helper()
	parts := r.parts()
	rel := &push.Releaser{Ports: parts.PushPorts(), Leadership: parts.Leadership, ClusterName: "lab", HolderName: r.conf.DaemonName, Wait: func(_ context.Context, d time.Duration) error {
		r.w.Advance(r.w.Now().Add(d))
		return nil
	}}
	if holder, held, err := rel.Lead(r.t.Context()); err != nil || !held {
		r.t.Fatalf("%s leads: %v", holder, err)
	}
	return rel
}

// TestReleasePlansAgain: jobs start between the look and the edit. What can
// still be written is, what cannot is kept for a requeue, and the release ends
// well.
func TestReleasePlansAgain(t *testing.T) {
	for lever, kept := range map[bridge.Lever]bool{bridge.LeverSiteFactor: false, bridge.LeverPriority: true} {
		t.Run(string(lever), func(t *testing.T) {
			r := newRig(t, bridge.ModeRank, "drf", nil)
			r.conf.Order.Lever = lever
			r.restart()
			a, b := r.full("")
			var ids []int64
			for range 4 {
				ids = append(ids, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 4}))
			}
			r.cycles(5)
			if len(r.wire.applied) < len(ids)-1 {
				t.Fatalf("only %v was sent", r.wire.applied)
			}
			r.wire.between = func(w *sim.World) {
				r.wire.between = nil
				_ = w.Cancel("hog", fmt.Sprint(a))
				_ = w.Cancel("hog", fmt.Sprint(b))
				w.Advance(w.Now().Add(time.Minute))
			}
			rel := r.releaser()
			out, err := rel.Release(t.Context())
			if err != nil {
				t.Errorf("releasing: %v; %+v", err, out.Intents)
			}
			if j := r.job(ids[0]); j.IsPending() {
				t.Fatal("no job started meanwhile")
			}
			if (len(out.Kept) > 0) != kept || out.OpenIntentCount > 0 {
				t.Errorf("kept %v, %d open", out.Kept, out.OpenIntentCount)
			}
			if left, err := rel.FindReleasable(t.Context()); err != nil || len(left.Edits) > 0 {
				t.Errorf("left: %v %v", left.Edits, err)
			}
		})
	}
}

// ordered submits n jobs that are held back by full nodes, and gives each an
// order number of ours, as many cycles would.
func (r *rig) ordered(n int) {
	r.t.Helper()
	r.full("")
	intents := make([]bridge.Intent, n)
	for i := range intents {
		j := r.job(r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8}))
		intents[i] = bridge.Intent{
			Edit:   slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 1_000_000 + int64(i)},
			Before: bridge.JobBefore{Eligible: j.EligibleTime, Begin: j.EligibleTime, Priority: j.Priority, State: j.State},
		}
	}
	r.stand(intents)
}

// stand makes the values of the intents stand in Slurm, as our own.
func (r *rig) stand(intents []bridge.Intent) {
	r.t.Helper()
	epoch, _, _, err := r.db.Lead(r.t.Context(), "lab", r.conf.DaemonName, time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range intents {
		intents[i].Cluster, intents[i].Epoch, intents[i].Made = "lab", epoch, r.w.Now()
	}
	if intents, err = r.db.StoreIntents(r.t.Context(), nil, intents); err != nil {
		r.t.Fatal(err)
	}
	for _, in := range intents {
		if err := r.wire.DirectCluster.ApplyEdit(r.t.Context(), in.Edit); err != nil {
			r.t.Fatal(err)
		}
		in.State, in.Sent = bridge.IntentObserved, r.w.Now()
		if err := r.db.UpdateIntent(r.t.Context(), in); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestReleaseOfThousandsKeepsLeading: giving back takes many times as long as
// leadership lasts.
func TestReleaseOfThousandsKeepsLeading(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 700 // two rounds
	}
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.ordered(n)
	rel := r.releaser()
	asked := 0
	r.db.InjectError = func(call string) error {
		if call == "Lead" {
			asked++
		}
		return nil
	}
	rel.TTL = 20 * time.Second
	r.wire.answer = func(slurm.Edit) error { // five a second
		r.w.Advance(r.w.Now().Add(200 * time.Millisecond))
		return nil
	}
	var news []string
	rel.ReportProgress = func(sent, left int) { news = append(news, fmt.Sprint(sent, "+", left)) }
	if _, held, err := rel.Lead(t.Context()); err != nil || !held {
		t.Fatal(held, err)
	}
	from := r.w.Now()
	out, err := rel.Release(t.Context())
	if err != nil {
		t.Fatalf("after %d of %d: %v", len(out.Intents), n, err)
	}
	took := r.w.Now().Sub(from)
	if len(out.Intents) != n || took < 5*rel.TTL || asked < int(took/rel.TTL) {
		t.Errorf("%d of %d given back in %v, leadership asked for %d times", len(out.Intents), n, took, asked)
	}
	if news[0] != fmt.Sprint(1, "+", n-1) || news[len(news)-1] != fmt.Sprint(n, "+", 0) {
		t.Errorf("told %q … %q", news[0], news[len(news)-1])
	}
	if left, err := rel.FindReleasable(t.Context()); err != nil || len(left.Edits) > 0 || left.OpenIntentCount > 0 {
		t.Errorf("left: %d edits, %d open: %v", len(left.Edits), left.OpenIntentCount, err)
	}
	t.Logf("%d edits in %v of Slurm's time", n, took)
}

// TestReleaseGivesUpWhatNeverWorks: every call is refused.
func TestReleaseGivesUpWhatNeverWorks(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.ordered(4)
	rel := r.releaser()
	r.wire.answer = func(slurm.Edit) error {
		return &slurm.Error{Class: slurm.ErrorForbidden, Text: "access denied", Number: 2002}
	}
	if out, err := rel.Release(t.Context()); err == nil || !strings.Contains(err.Error(), "access denied") || len(r.wire.applied) > 4*3 {
		t.Errorf("%v after %d calls: %+v", err, len(r.wire.applied), out)
	}
}

// TestAnEndIsNoDoubt: a daemon that is told to end says nothing of errors,
// wherever its cycle was.
func TestAnEndIsNoDoubt(t *testing.T) {
	for name, arm := range map[string]func(*rig, func()){
		"while looking": func(r *rig, end func()) { r.wire.looked = end },
		"while pushing": func(r *rig, end func()) { r.wire.between = func(*sim.World) { end() } },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, bridge.ModeRank, "drf", nil)
			r.conf.WarmupPolls = 0
			r.restart()
			r.full("")
			for range 3 {
				r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
			}
			ctx, end := context.WithCancel(t.Context())
			defer end()
			arm(r, end)
			if err := r.loop.Run(ctx); err != nil {
				t.Error(err)
			}
			if log := r.log.String(); strings.Contains(log, "level=ERROR") || !strings.Contains(log, "cut short") {
				t.Errorf("log:\n%s", log)
			}
		})
	}
}

// TestACycleThatPanicsEndsTheLoop: leadership is given back all the same, so that
// the next daemon need not wait for it.
func TestACycleThatPanicsEndsTheLoop(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.wire.looked = func() { panic("no such node") }
	err := r.loop.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "panic in a cycle: no such node\n") {
		t.Errorf("the loop ended with %v", err)
	}
	if _, holder, leads, err := r.db.Lead(t.Context(), "lab", "test:2", time.Minute); err != nil || !leads {
		t.Errorf("another daemon finds %s, %v", holder, err)
	}
}
