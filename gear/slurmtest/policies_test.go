package slurmtest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// control is the product on a slurmrestd: its own client, writer and loop. Only the
// clock is Slurm's, which the test moves.
type control struct {
	*Server
	t    *testing.T
	live *live.Cluster
	loop *cycle.Loop
	conf bridge.Config
	part cycle.Parts
	last cycle.Report
	poll rest.PollConfig
}

// Observe tells the time of reading by the cluster's clock.
func (l *control) Observe(ctx context.Context) (*slurm.View, error) {
	v, err := l.live.Observe(ctx)
	if err == nil {
		v.ReadAt = l.now()
	}
	return v, err
}

// RereadJob and ApplyEdit go through the writer.
func (l *control) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	return l.live.RereadJob(ctx, id)
}

// RequestFullRead goes to the client.
func (l *control) RequestFullRead() { l.live.RequestFullRead() }

// HasNode asks about a node.
func (l *control) HasNode(ctx context.Context, name string) (bool, error) {
	return l.live.HasNode(ctx, name)
}

func (l *control) ApplyEdit(ctx context.Context, e slurm.Edit) error { return l.live.ApplyEdit(ctx, e) }

func (l *control) now() (t time.Time) {
	l.WithWorld(func(w *sim.World) { t = w.Now() })
	return t
}

// newControl makes a cluster of two nodes under the policy, in preempt mode.
func newControl(t *testing.T, name string) *control {
	t.Helper()
	w, err := sim.New(sim.Config{
		Seed: 1, ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Start: time.Now().Truncate(time.Second), RequeueDelay: 10 * time.Second,
		Users: []sim.User{{Name: "rest", IsOperator: true}}, Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(Config{World: w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := &control{Server: s, t: t}
	l.dial()
	l.join(name)
	return l
}

func (l *control) dial() {
	token := filepath.Join(l.t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(sign(l.t, "k", "rest", time.Now().Add(time.Hour))), 0o600); err != nil {
		l.t.Fatal(err)
	}
	client, err := rest.Open(l.t.Context(), rest.Config{URL: l.URL(), TokenFile: token, User: "rest"}, l.poll)
	if err != nil {
		l.t.Fatal(err)
	}
	may := func(ctx context.Context) error { return l.loop.CheckMayPush(ctx) }
	l.live = live.New(client, writer.New(client, writer.Config{CheckMayWrite: may, Rate: 1000, LeaseMax: 48 * time.Hour}))
	l.live.ReadsLimits = true
	l.live.Scontrol = scontrol.Command{"printf", "No associations\\nNo QOS\\n"} // a Slurm without accounting
}

func (l *control) join(name string) {
	e, err := catalogue.FindSystem(name)
	if err != nil {
		l.t.Skipf("not in the catalogue: %v", err)
	}
	p, err := e.New(nil)
	if err != nil {
		l.t.Fatal(err)
	}
	l.conf = bridge.DefaultConfig()
	l.conf.ClusterName, l.conf.DaemonName, l.conf.StopFile = "lab", "test", ""
	g := &l.conf.Budgets // two nodes: a percent of them is nothing
	g.StopPercent, g.StopPercent1h, g.PlanStopPercent, g.LostPercent24h, g.LostPercent1h, g.GainFactor = 100, 1000, 100, 100, 100, 0
	l.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModePreempt, Policy: name, DecidingPolicy: p}}
	past := memstore.New(l.now, nil, 0)
	l.part = cycle.Parts{
		Cluster: l, Journal: past, Leadership: past, History: past, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{}, Now: l.now,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if l.loop, err = cycle.New(l.conf, l.part); err != nil {
		l.t.Fatal(err)
	}
}

// cycle runs one cycle, compares what Slurm has now with what was sent, and
// lets an interval pass.
func (l *control) cycle(sent map[slurm.EditKind]int) {
	l.t.Helper()
	l.last = l.loop.Step(l.t.Context())
	for _, d := range l.last.Doubts {
		l.t.Errorf("%s: %v", d.Cause, d.Err)
	}
	for i := range l.last.Intents {
		sent[l.last.Intents[i].Edit.Kind]++
		l.carriedOut(&l.last.Intents[i])
	}
	advance(l.Server, l.conf.Interval)
}

// carriedOut looks in the world for the effect of an edit.
func (l *control) carriedOut(in *bridge.Intent) {
	l.t.Helper()
	e, j := &in.Edit, job(l.t, l.Server, in.Edit.Run.Job)
	ok := in.State == bridge.IntentAcked
	switch e.Kind {
	case slurm.EditLease:
		ok = ok && j.EligibleTime.Equal(e.Until) && e.Until.After(l.now())
	case slurm.EditUnlease:
		ok = ok && !j.EligibleTime.After(l.now())
	case slurm.EditRequireNodes:
		ok = ok && j.RequiredNodes.SameAs(e.Nodes)
	case slurm.EditRequeue:
		ok = ok && (j.HasFlag("COMPLETING") || j.Restarts > e.Run.Restarts)
	case slurm.EditSiteFactor:
		step, want := j.Priority-in.Before.Priority, e.Value-in.Before.OurValue
		ok = ok && step-want <= 1 && want-step <= 1 // a job's age counts in the same moment
	}
	if !ok {
		l.t.Errorf("%s is %s (%s); Slurm shows eligible %v, required %q, priority %d after %d, restart %d", e, in.State, in.Error, j.EligibleTime, j.RequiredNodes.Text, j.Priority, in.Before.Priority, j.Restarts)
	}
}

// inOrder compares Slurm's order of the jobs that wait with the plan's.
func (l *control) inOrder() {
	l.t.Helper()
	plan := l.last.PartitionResults[0].Plan
	for i := range plan.Decisions {
		for k := range plan.Decisions {
			a, b := &plan.Decisions[i], &plan.Decisions[k]
			x, y := job(l.t, l.Server, int64(a.Job)), job(l.t, l.Server, int64(b.Job))
			if x.IsPending() && y.IsPending() && a.Rank < b.Rank && x.Priority <= y.Priority {
				l.t.Errorf("job %d is before job %d in the plan and has priority %d, not above %d", a.Job, b.Job, x.Priority, y.Priority)
			}
		}
	}
}

// TestPoliciesThroughTheWriter drives policies that stop jobs over HTTP: one job
// that may be stopped has run for long, and short jobs of others come.
func TestPoliciesThroughTheWriter(t *testing.T) {
	for _, name := range []string{"gandiva-fair", "gavel", "shockwave", "themis", "tiresias"} {
		t.Run(name, func(t *testing.T) {
			l, sent := newControl(t, name), map[slurm.EditKind]int{}
			long := sim.JobSpec{User: "alice", Account: "x", WorkTime: 6 * time.Hour, TimeLimit: 8 * time.Hour, Checkpoints: true}
			closed := submit(t, l.Server, long)
			long.Comment = "fairbridge:preemptible,ckpt=20s"
			open := submit(t, l.Server, long)
			advance(l.Server, time.Minute)
			for range 6 { // it has looked on for a while
				l.cycle(sent)
			}
			advance(l.Server, 3*time.Hour)
			for i := range 6 {
				submit(t, l.Server, sim.JobSpec{User: "bob", Account: "y", GPUsPerNode: 8 >> (i % 3), WorkTime: 20 * time.Minute, TimeLimit: 40 * time.Minute})
			}
			for range 4 {
				l.cycle(sent)
			}
			l.inOrder()
			for i := 0; i < 240 && sent[slurm.EditRequeue] == 0; i++ { // a window of rounds may have to pass
				l.cycle(sent)
			}
			for range 4 {
				l.cycle(sent)
			}
			if sent[slurm.EditRequeue] == 0 || job(t, l.Server, open).Restarts == 0 {
				t.Errorf("the job that may be stopped was not: %v", sent)
			}
			if j := job(t, l.Server, closed); j.Restarts != 0 || j.State != "RUNNING" {
				t.Errorf("the job that may not be stopped is %s after %d restarts", j.State, j.Restarts)
			}
			l.release(open)
			l.WithWorld(func(w *sim.World) {
				if !w.RunUntilIdle(w.Now().Add(24 * time.Hour)) {
					t.Error("not every job ended")
				}
				ends := map[int64]int{}
				for _, s := range w.EndedRuns() {
					if s.EndState == "COMPLETED" {
						ends[s.JobID]++
					}
				}
				if len(ends) != 8 || ends[open] != 1 {
					t.Errorf("jobs completed so often: %v", ends)
				}
			})
		})
	}
}

// release gives everything back and looks for what is left.
func (l *control) release(waiting int64) {
	l.t.Helper()
	ctx := l.t.Context()
	r := push.Releaser{Ports: l.part.PushPorts(), Leadership: l.part.Leadership, ClusterName: "lab", HolderName: "test", Wait: func(context.Context, time.Duration) error {
		advance(l.Server, 5*time.Second)
		return nil
	}}
	if _, held, err := r.Lead(ctx); !held || err != nil {
		l.t.Fatalf("leading: %v %v", held, err)
	}
	if _, err := r.Release(ctx); err != nil {
		l.t.Fatal(err)
	}
	advance(l.Server, 5*time.Second)
	if left, err := r.FindReleasable(ctx); err != nil || len(left.Edits) > 0 {
		l.t.Errorf("left after release: %v %v", left, err)
	}
	if j := job(l.t, l.Server, waiting); j.IsPending() && (j.RequiredNodes.Text != "" || j.Priority > 11_001) {
		l.t.Errorf("job %d after release: required %q, priority %d", waiting, j.RequiredNodes.Text, j.Priority)
	}
}
