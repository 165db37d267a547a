package guardcommand

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/harm"
	"fairbridge/bridge/push"
	"fairbridge/cmd/settings"
	"fairbridge/replica/sim"
	"fairbridge/replica/study"
)

// liveSite is a simulated Slurm in virtual time with the daemon's loop beside it, which records in
// Postgres, and the hourly check of the guard on that record.
type liveSite struct {
	*checker
	t     *testing.T
	world *sim.World
	parts cycle.Parts
	cycle *cycle.Loop
}

// worldClock is a database that shows the cluster's clock.
type worldClock struct {
	bridge.History
	world *sim.World
}

// Clock implements bridge.History.
func (c worldClock) Clock(context.Context) (time.Time, error) { return c.world.Now(), nil }

// newLiveSite is a node of eight GPUs. One account submits work for half a day at once, then another a short job every four
// minutes: by its fair share Slurm alone lets those pass.
func newLiveSite(t *testing.T, policyName string, canary settings.Canary) *liveSite {
	t.Helper()
	w, err := sim.New(sim.Config{ClusterName: "lab", Start: noon, Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}}, Seed: 1})
	dbtest.RequireNoError(t, err)
	for range 100 {
		dbtest.RequireNoError(t, w.SubmitAt(noon.Add(time.Minute), sim.JobSpec{Name: "sweep", User: "bob", Account: "b", GPUs: 1, WorkTime: 55 * time.Minute, TimeLimit: time.Hour}))
	}
	for i := range 150 {
		dbtest.RequireNoError(t, w.SubmitAt(noon.Add(time.Duration(240*(i+1)+17*(i%7))*time.Second), sim.JobSpec{Name: "short", User: "ann", Account: "a", GPUs: 1, WorkTime: 5 * time.Minute, TimeLimit: 10 * time.Minute}))
	}
	file := settings.NewDefaultFile()
	file.Cluster, file.Partitions = "lab", []settings.Partition{{Name: "gpu", Mode: bridge.ModePreempt, Policy: policyName, Canary: canary}}
	config, err := file.LoopConfig()
	dbtest.RequireNoError(t, err)
	config.Interval, config.StopFile, config.LeaderTTL = time.Minute, "", 30*24*time.Hour
	db := stores.New(dbtest.NewDB(t))
	s := &liveSite{t: t, world: w, checker: &checker{
		checkFlags: &checkFlags{seedCount: 3, parallelRuns: 2}, file: file, loop: config, options: study.RunOptions{Seed: 1}, db: db, progress: io.Discard,
	}}
	s.parts = cycle.Parts{
		Cluster: sim.DirectCluster{World: w}, Journal: db, Leadership: db, History: worldClock{db, w}, Demotions: db, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: w.Now, Log: slog.New(slog.DiscardHandler),
	}
	s.cycle, err = cycle.New(config, s.parts)
	dbtest.RequireNoError(t, err)
	return s
}

// run lets the daemon run so many cycles, and returns the last report.
func (s *liveSite) run(cycles int) (last cycle.Report) {
	s.t.Helper()
	for range cycles {
		s.world.Advance(s.world.Now().Add(s.loop.Interval))
		last = s.cycle.Step(s.t.Context())
	}
	return last
}

// check is what the timer does.
func (s *liveSite) check() outcome {
	s.t.Helper()
	s.now = s.world.Now()
	all, err := s.checkAll(s.t.Context())
	dbtest.RequireNoError(s.t, err)
	return all[0]
}

// valuesLeft is how many values of ours stand in jobs.
func (s *liveSite) valuesLeft() int {
	s.t.Helper()
	r := push.Releaser{Ports: s.cycle.PushPorts(), Leadership: s.db, ClusterName: "lab", HolderName: "look"}
	found, err := r.FindReleasable(s.t.Context())
	dbtest.RequireNoError(s.t, err)
	return len(found.Edits)
}

// shown is what guard show prints.
func (s *liveSite) shown() string {
	s.t.Helper()
	var out strings.Builder
	h, err := readHistory(s.t.Context(), s.db, "lab", "", noon.Add(-time.Hour))
	dbtest.RequireNoError(s.t, err)
	printHistory(&out, h, s.world.Now())
	return strings.Join(strings.Fields(out.String()), " ")
}

// runUntilDemoted lets the loop run and checks every hour until something is demoted, for nine hours at most.
func (s *liveSite) runUntilDemoted() (o outcome, hours int) {
	s.t.Helper()
	for o.Demotion == nil && hours < 9 {
		s.run(60)
		hours++
		o = s.check()
		s.t.Logf("after %d h: %s", hours, o.Summarize())
	}
	return o, hours
}

// TestAHarmfulPolicyIsDemoted: fifo, by which one account waits for all that another submitted, is live; the hourly checks find harm three
// times in a row, and the partition is demoted. From the next cycle on it observes, what of ours
// stood in its jobs is given back, and guard show says why. Cleared, it goes on, and checks of before do not count.
func TestAHarmfulPolicyIsDemoted(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	s := newLiveSite(t, "fifo", settings.Canary{})
	o, hours := s.runUntilDemoted()
	if o.Demotion == nil || o.Verdict != harm.Harm || hours < 3 || o.Demotion.By != harm.GuardName || !strings.Contains(o.Demotion.Why, "3 checks in a row, over 2h") {
		t.Fatalf("after %d h: %+v", hours, o)
	}
	if s.valuesLeft() == 0 {
		t.Fatal("nothing of ours stands before")
	}
	r := s.run(1)
	if p := r.PartitionResults[0].Partition; p.Mode != bridge.ModeObserve || p.PlanMode() != bridge.ModePreempt || len(r.Warnings) != 1 || !r.Warnings[0].Cause.IsDemotion() {
		t.Errorf("the next cycle: mode %s, plans for %s, warnings %v", p.Mode, p.PlanMode(), r.Warnings)
	}
	if s.run(5); s.valuesLeft() != 0 {
		t.Errorf("%d values of ours stand after six cycles", s.valuesLeft())
	}
	if o = s.check(); o.Demotion == nil || !strings.Contains(o.Reasons[0], "nothing of ours is live") {
		t.Errorf("checked while demoted: %+v", o)
	}
	for _, want := range []string{"DEMOTED: partition gpu is demoted to mode observe by the harm guard", "3 checks in a row, over 2h, showed harm", "with Slurm alone it would have been", "fairbridge guard clear gpu", "decided by fifo"} {
		if text := s.shown(); !strings.Contains(text, want) {
			t.Errorf("guard show does not say %q:\n%s", want, text)
		}
	}
	cleared, err := s.db.ClearDemotion(t.Context(), "lab", "gpu", "ann", "mended")
	dbtest.RequireNoError(t, err)
	r = s.run(5)
	if p := r.PartitionResults[0].Partition; !cleared || p.Mode != bridge.ModePreempt || len(r.Warnings) > 0 || s.valuesLeft() == 0 {
		t.Errorf("cleared %t: mode %s, warnings %v, %d values of ours", cleared, p.Mode, r.Warnings, s.valuesLeft())
	}
	if text := s.shown(); !strings.Contains(text, "ann cleared that at") {
		t.Errorf("guard show does not say who cleared it:\n%s", text)
	}
}

// TestAHarmfulCandidateIsDemotedAlone: fifo decides as a canary on this day, in place of the default
// policy. The checks demote it, and not the partition: from the next cycle on the default policy
// decides, live, and the checks go on.
func TestAHarmfulCandidateIsDemotedAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	s := newLiveSite(t, "fairbridge", settings.Canary{Policy: "fifo", Weekdays: []string{"mon"}, Since: "2026-03-02", Until: "2026-03-29"})
	o, hours := s.runUntilDemoted()
	if o.Demotion == nil || o.Demotion.Candidate != "fifo" || o.Demotion.By != harm.GuardName || !strings.Contains(o.Demotion.Why, "of those of the incumbent that could tell (0), 0 showed harm") {
		t.Fatalf("after %d h: %+v", hours, o)
	}
	r := s.run(2)
	if p := r.PartitionResults[0].Partition; p.Mode != bridge.ModePreempt || p.Policy != "fairbridge" || len(r.Warnings) != 1 || !r.Warnings[0].Cause.IsCandidateDemotion() || len(r.Doubts) > 0 {
		t.Errorf("the next cycles: %s in mode %s, warnings %v, doubts %v", p.Policy, p.Mode, r.Warnings, r.Doubts)
	}
	if s.valuesLeft() == 0 {
		t.Error("the order was given back, though the partition is live")
	}
	if o = s.check(); o.Demotion == nil || o.Demotion.Candidate != "fifo" || strings.Contains(o.Reasons[0], "nothing of ours is live") {
		t.Errorf("checked after: %+v", o)
	}
	if text, want := s.shown(), "DEMOTED: the candidate fifo of the canary of partition gpu is demoted, and the partition's own policy decides on all days, by the harm guard"; !strings.Contains(text, want) {
		t.Errorf("guard show does not say %q:\n%s", want, text)
	}
	if _, err := s.db.ClearDemotion(t.Context(), "lab", "gpu", "ann", "mended"); err != nil {
		t.Fatal(err)
	}
	if p := s.run(2).PartitionResults[0].Partition; p.Policy != "fifo" {
		t.Errorf("cleared, and %s decides on its day", p.Policy)
	}
}
