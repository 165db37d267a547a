package cycle_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// guarded is a rig with a timer beside the daemon.
type guarded struct {
	*rig
	x *push.Expirer
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{rig: newRig(t, bridge.ModeSteer, "drf", nil)}
	g.expiry = g.db
	g.conf.WarmupPolls = 0
	g.restart()
	parts := g.parts()
	g.x = &push.Expirer{
		Releaser: push.Releaser{Ports: parts.PushPorts(), Leadership: parts.Leadership, ClusterName: "lab", HolderName: "timer:1" + push.ExpirerNameSuffix, Wait: func(_ context.Context, d time.Duration) error {
			g.w.Advance(g.w.Now().Add(d))
			return nil
		}},
		LeaderWatch: g.db, MinLeaderlessTime: g.conf.MinLeaderlessTime(), StopFile: g.stops,
	}
	return g
}

// minute is what the timer does in a minute.
func (g *guarded) minute() *push.ReleaseResult {
	g.t.Helper()
	out, err := g.x.Run(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	g.w.Advance(g.w.Now().Add(time.Minute))
	return out
}

// pinned lets a daemon name a node for a job, which then goes down before the
// job starts, and returns the job.
func (g *guarded) pinned() int64 {
	g.t.Helper()
	a, _ := g.full("")
	if err := g.w.Cancel("hog", fmt.Sprint(a)); err != nil {
		g.t.Fatal(err)
	}
	g.w.Advance(g.w.Now().Add(time.Second)) // a node is free, and Slurm takes a moment to look at a new job
	id := g.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	g.loop.Step(g.t.Context())
	if n := g.kinds()[slurm.EditRequireNodes]; n != 1 || !strings.HasPrefix(g.job(id).State, "PENDING") {
		g.t.Fatalf("%d pins sent, the job is %s; sent %v; log:\n%s", n, g.job(id).State, g.wire.applied, g.log.String())
	}
	if err := g.w.DownNode(g.job(id).RequiredNodes.Text, "lost"); err != nil {
		g.t.Fatal(err)
	}
	return id
}

// idle frees the other node.
func (g *guarded) idle() {
	for _, j := range g.w.Jobs() {
		if j.IsRunning() {
			_ = g.w.Cancel("hog", fmt.Sprint(j.ID))
		}
	}
}

// TestZ2PinOutlivesUs: a node is named for a job, the daemon dies, the node goes
// down. The job would wait for it for ever, beside an idle node.
func TestZ2PinOutlivesUs(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	died := g.w.Now() // and nothing of the daemon is left but the timer
	g.idle()
	for range 10 {
		if j := g.job(id); j.IsRunning() {
			break
		}
		g.minute()
	}
	took, lease := g.w.Now().Sub(died), 90*time.Second
	if j := g.job(id); !j.IsRunning() || took > lease+g.x.MinLeaderlessTime+2*time.Minute {
		t.Errorf("after %v the job is %s (%s), required nodes %q", took, j.State, j.Reason, j.RequiredNodes.Text)
	}
	t.Logf("it runs %v after the daemon's death", took)
}

// TestNoPinWithoutExpiry: nothing outside us would take it back.
func TestNoPinWithoutExpiry(t *testing.T) {
	for name, ago := range map[string]time.Duration{"never": 0, "long ago": 4 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t)
			if ago > 0 {
				g.minute()
				g.w.Advance(g.w.Now().Add(ago))
			}
			a, _ := g.full("")
			g.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
			_ = g.w.Cancel("hog", fmt.Sprint(a))
			g.cycles(3)
			if n := g.kinds()[slurm.EditRequireNodes]; n > 0 {
				t.Errorf("pins were sent: %v", g.wire.applied)
			}
			if log := g.log.String(); strings.Count(log, "fairbridge-expire.timer") != 1 {
				t.Errorf("the log does not say so once:\n%s", log)
			}
		})
	}
}

// TestExpiryEndsExclusionsAndLaterTheOrder: what ends by itself is left to
// itself.
func TestExpiryEndsExclusionsAndLaterTheOrder(t *testing.T) {
	g := newGuarded(t)
	g.full("")
	id := g.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, ExcludedNodes: []string{"n2"}})
	j := g.job(id)
	before := bridge.JobBefore{Eligible: j.EligibleTime, Begin: j.EligibleTime, Priority: j.Priority, State: j.State, Excluded: j.ExcludedNodes}
	begin := g.w.Now().Add(time.Hour).Truncate(time.Second)
	g.stand([]bridge.Intent{
		{Before: before, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n1", "n2"}}},
		{Before: before, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 1_000_000}},
		{Before: before, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditLease, Until: begin}, NotAfter: begin},
	})
	if err := g.db.Resign(t.Context(), "lab", g.conf.DaemonName); err != nil {
		t.Fatal(err)
	}
	var nodes, order int
	for m := 1; m <= 20; m++ {
		g.minute()
		if g.job(id).ExcludedNodes.Text == "n2" && nodes == 0 {
			nodes = m
		}
		if g.job(id).Priority < 1_000_000 && order == 0 {
			order = m
		}
	}
	if nodes != 3 || order != 11 {
		t.Errorf("the exclusion ended in minute %d, the order number in minute %d; want 3 (90 s) and 11 (10 min)", nodes, order)
	}
	if !g.job(id).EligibleTime.Equal(begin) {
		t.Errorf("the lease was ended: %v", g.job(id).EligibleTime)
	}
}

// TestExpiryLeavesDaemonsAlone: one leads, or an administrator said STOP.
func TestExpiryLeavesDaemonsAlone(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	for range 6 {
		if _, _, held, err := g.db.Lead(t.Context(), "lab", g.conf.DaemonName, 90*time.Second); err != nil || !held {
			t.Fatal(err)
		}
		g.minute()
	}
	if j := g.job(id); j.RequiredNodes.Text == "" {
		t.Error("the pin was taken from a daemon that leads")
	}
	if err := os.WriteFile(g.stops, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		g.minute()
	}
	ago, _, err := g.db.TimeSinceExpirerRan(t.Context(), "lab")
	if err != nil {
		t.Fatal(err)
	}
	if j := g.job(id); j.RequiredNodes.Text == "" || ago < 6*time.Minute {
		t.Error("it did not heed the STOP file")
	}
}

// TestNoPinOutlivesADoubt: the daemon lives and leads, but its policy fails.
func TestNoPinOutlivesADoubt(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	g.conf.Partitions[0].DecidingPolicy = broken{}
	g.restart()
	g.idle()
	for range 12 { // six minutes
		g.cycles(1)
		if out, err := g.x.Run(t.Context()); err != nil || len(out.Edits) > 0 {
			t.Fatalf("the timer gave back %v while a daemon leads: %v", out, err)
		}
	}
	if j := g.job(id); !j.IsRunning() {
		t.Errorf("the job is %s (%s), required nodes %q; sent %v; log:\n%s", j.State, j.Reason, j.RequiredNodes.Text, g.wire.applied, g.log.String())
	}
	for _, e := range g.wire.applied[1:] {
		if e.Kind != slurm.EditRequireNodes && e.Kind != slurm.EditSiteFactor || e.Kind == slurm.EditRequireNodes && len(e.Nodes) > 0 {
			t.Errorf("in doubt it sent %v", e)
		}
	}
}

// TestExpiryWithoutADatabase works from a journal alone, which nothing fences, on node lists only.
func TestExpiryWithoutADatabase(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	j := g.db.Clone()
	j.AllowsAnyEpoch = true
	g.x.LeaderWatch, g.x.Journal, g.x.Leadership = nil, j, nil
	order := g.job(id).Priority
	g.minute()
	if g.job(id).RequiredNodes.Text == "" {
		t.Error("a pin of this moment was taken")
	}
	for range 4 {
		g.minute()
	}
	if g.job(id).RequiredNodes.Text != "" || g.job(id).Priority < order {
		t.Errorf("required %q, priority %d (was %d)", g.job(id).RequiredNodes.Text, g.job(id).Priority, order)
	}
}
