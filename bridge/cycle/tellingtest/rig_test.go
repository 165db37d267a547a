package tellingtest

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// operator is a user who may change jobs, and no admin_comment.
const operator = "operator"

// tellingSite is a loop over the partition gpu of a simulated Slurm, which tells jobs why they wait.
type tellingSite struct {
	t    *testing.T
	w    *sim.World
	wire *wire
	db   *memstore.Store
	conf bridge.Config
	loop *cycle.Loop

	demotions []bridge.Demotion
}

// ActiveDemotions are the partitions that are demoted.
func (s *tellingSite) ActiveDemotions(context.Context, string) ([]bridge.Demotion, error) {
	return s.demotions, nil
}

// wire is the cluster as the loop sees it. It keeps what was sent.
type wire struct {
	sim.DirectCluster
	applied []slurm.Edit
	between func() // happens right before a job is read again; nil: nothing

	losesTexts bool // texts are accepted and not kept
}

func (c *wire) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	if c.between != nil {
		c.between()
	}
	return c.DirectCluster.RereadJob(ctx, id)
}

func (c *wire) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	c.applied = append(c.applied, e)
	if c.losesTexts && e.Kind == slurm.EditAdminComment {
		return nil
	}
	return c.DirectCluster.ApplyEdit(ctx, e)
}

// newTellingSite makes one node of eight GPUs, and a daemon that acts as the user.
func newTellingSite(t *testing.T, actingUser string) *tellingSite {
	t.Helper()
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, Release: "24.11.5",
		Users: []sim.User{{Name: operator, IsOperator: true}}, BackfillInterval: -1, FullPassInterval: 30 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &tellingSite{t: t, w: w, wire: &wire{DirectCluster: sim.DirectCluster{World: w, ActingUser: actingUser}}, db: memstore.New(w.Now, nil, 0), conf: bridge.DefaultConfig()}
	s.conf.ClusterName, s.conf.DaemonName, s.conf.StopFile = "lab", "test:1", filepath.Join(t.TempDir(), "STOP")
	s.conf.Order.AdminComment, s.conf.Order.AdminCommentEvery = true, 2*time.Minute
	s.conf.Budgets.EditCooldown = time.Second
	fifo, err := catalogue.FindSystem("fifo")
	if err != nil {
		t.Fatal(err)
	}
	decide, err := fifo.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModeRank, Policy: "fifo", DecidingPolicy: decide}}
	s.restart()
	return s
}

// restart begins a new daemon with the configuration.
func (s *tellingSite) restart() {
	s.t.Helper()
	l, err := cycle.New(s.conf, s.parts())
	if err != nil {
		s.t.Fatal(err)
	}
	s.loop = l
}

func (s *tellingSite) parts() cycle.Parts {
	return cycle.Parts{
		Cluster: s.wire, Demotions: s, Journal: s.db, Leadership: s.db, History: s.db, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: s.w.Now, Log: slog.New(slog.DiscardHandler),
	}
}

// submit adds a job of the user that asks for GPUs and runs for an hour.
func (s *tellingSite) submit(user string, gpus int) int64 {
	s.t.Helper()
	id, err := s.w.Submit(sim.JobSpec{User: user, GPUs: gpus, TimeLimit: 2 * time.Hour, WorkTime: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	s.w.Advance(s.w.Now().Add(time.Second))
	return id
}

// submitNice adds a job that fills the node, with a nice of its owner.
func (s *tellingSite) submitNice(nice int64) int64 {
	s.t.Helper()
	id, err := s.w.Submit(sim.JobSpec{User: "u", GPUs: 8, Nice: nice, TimeLimit: 2 * time.Hour, WorkTime: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	s.w.Advance(s.w.Now().Add(time.Second))
	return id
}

// cycles runs n cycles and returns the last report.
func (s *tellingSite) cycles(n int) (last cycle.Report) {
	s.t.Helper()
	for range n {
		last = s.loop.Step(s.t.Context())
		s.w.Advance(s.w.Now().Add(s.conf.Interval))
	}
	return last
}

// writes is what somebody writes into a job's admin_comment.
func (s *tellingSite) writes(id int64, text string) {
	s.t.Helper()
	if err := s.w.Update(sim.OperatorUser, id, sim.JobUpdate{AdminComment: &text}); err != nil {
		s.t.Fatal(err)
	}
}

// comment is what stands in the job's admin_comment.
func (s *tellingSite) comment(id int64) string {
	s.t.Helper()
	j, err := s.w.Job(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return j.AdminComment
}

// wants checks that a job's admin_comment has the part; "" wants it empty.
func (s *tellingSite) wants(id int64, part string) {
	s.t.Helper()
	if got := s.comment(id); !strings.Contains(got, part) || part == "" && got != "" {
		s.t.Errorf("job %d has %q, want %q", id, got, part)
	}
}

// tellings counts the edits of admin_comment among those sent, others the rest.
func (s *tellingSite) tellings() (tellings, others int) {
	for _, e := range s.wire.applied {
		if e.Kind == slurm.EditAdminComment {
			tellings++
		} else {
			others++
		}
	}
	return tellings, others
}

// release gives everything back, in place of the daemon.
func (s *tellingSite) release() *push.ReleaseResult {
	s.t.Helper()
	parts := s.parts()
	r := &push.Releaser{Ports: parts.PushPorts(), Leadership: parts.Leadership, ClusterName: "lab", HolderName: s.conf.DaemonName, Wait: s.wait}
	if holder, held, err := r.Lead(s.t.Context()); err != nil || !held {
		s.t.Fatalf("%s leads: %v", holder, err)
	}
	out, err := r.Release(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *tellingSite) wait(_ context.Context, d time.Duration) error {
	s.w.Advance(s.w.Now().Add(d))
	return nil
}
