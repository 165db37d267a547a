package operators_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// tester is a test, or a case of a random one.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// record is what operators did, as a database would have it.
type record struct {
	w         *sim.World
	actions   []bridge.OperatorAction
	demotions []bridge.Demotion
	err       error                   // what it answers instead
	seen      []bridge.OperatorAction // what the loop was told last
	lowered   []bridge.Demotion
	isKnown   bool // it was told since it started
}

func (r *record) stands(until time.Time) bool { return until.IsZero() || until.After(r.w.Now()) }

func (r *record) StandingActions(context.Context, string) (out []bridge.OperatorAction, err error) {
	if r.err != nil {
		return nil, r.err
	}
	for _, a := range r.actions {
		if r.stands(a.Until) {
			out = append(out, a)
		}
	}
	r.seen, r.isKnown = out, true
	return out, nil
}

func (r *record) ActiveDemotions(context.Context, string) (out []bridge.Demotion, err error) {
	if r.err != nil {
		return nil, r.err
	}
	for _, d := range r.demotions {
		if r.stands(d.Until) {
			out = append(out, d)
		}
	}
	r.lowered = out
	return out, nil
}

// site is a loop over partition gpu of a simulated Slurm, whose every write is looked at.
type site struct {
	sim.DirectCluster
	t      tester
	dir    string
	db     *memstore.Store
	record *record
	conf   bridge.Config
	loop   *cycle.Loop
	sw     *push.StopSwitch
	sent   []slurm.Edit
	onSend func()
}

// newSite makes a cluster of two nodes with some jobs that each take one.
func newSite(t tester, dir string, hogs int, mode bridge.Mode, name string, params paper.Params) *site {
	t.Helper()
	return newSiteOf(t, dir, sim.UniformNodes(2, "a100", 8), hogs, mode, name, params)
}

// newSiteOf makes a cluster of the nodes with some jobs that each take eight GPUs.
func newSiteOf(t tester, dir string, nodes []sim.Node, hogs int, mode bridge.Mode, name string, params paper.Params) *site {
	t.Helper()
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: nodes, Partitions: []sim.Partition{{Name: "gpu"}}, BackfillInterval: -1, RequeueDelay: 10 * time.Second})
	check(t, err)
	s := &site{DirectCluster: sim.DirectCluster{World: w}, t: t, dir: dir, db: memstore.New(w.Now, nil, 0), record: &record{w: w}, conf: bridge.DefaultConfig()}
	entry, err := catalogue.FindSystem(name)
	check(t, err)
	decide, err := entry.New(params)
	check(t, err)
	s.conf.ClusterName, s.conf.DaemonName, s.conf.StopFile = "lab", "test:1", filepath.Join(dir, "STOP")
	s.conf.Budgets.Quantum, s.conf.Budgets.Cooldown, s.conf.Budgets.GainFactor, s.conf.Budgets.StopPercent, s.conf.Budgets.StopPercent1h = time.Minute, time.Minute, 0, 100, 1000
	s.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: mode, Policy: name, DecidingPolicy: decide}}
	s.restart()
	for range hogs {
		s.submit("hog", 8, 9*time.Hour)
	}
	return s
}

func check(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// restart begins a new daemon, which knows what the database knows.
func (s *site) restart() {
	s.t.Helper()
	s.record.isKnown, s.record.seen, s.record.lowered, s.sw = false, nil, nil, &push.StopSwitch{}
	l, err := cycle.New(s.conf, cycle.Parts{
		Cluster: s, Journal: s.db, Leadership: s.db, History: s.db, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Demotions: s.record, OperatorActions: s.record, StopSwitch: s.sw,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: s.World.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	check(s.t, err)
	s.loop = l
}

func (s *site) submit(user string, gpus int, limit time.Duration) int64 {
	s.t.Helper()
	id, err := s.World.Submit(sim.JobSpec{User: user, Account: "a" + user, GPUs: gpus, TimeLimit: limit, WorkTime: limit / 2, Checkpoints: true, Comment: "fairbridge:preemptible,ckpt=5s"})
	check(s.t, err)
	return id
}

// cycles runs some, and returns the last report.
func (s *site) cycles(n int) (last cycle.Report) {
	s.t.Helper()
	for range n {
		last = s.loop.Step(context.Background())
		s.World.Advance(s.World.Now().Add(s.conf.Interval))
	}
	return last
}

// ApplyEdit looks whether the write may be, by what the loop was told.
func (s *site) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	s.sent = append(s.sent, e)
	s.judge(e)
	if s.onSend != nil {
		s.onSend()
	}
	return s.DirectCluster.ApplyEdit(ctx, e)
}

// judge shares no code with the loop: nobody but the loop changes jobs here, so that giving back is to
// write what jobs have by themselves.
func (s *site) judge(e slurm.Edit) {
	givesBack := e.Kind == slurm.EditUnlease || e.Kind == slurm.EditHandBackPriority ||
		(e.Kind == slurm.EditSiteFactor || e.Kind == slurm.EditNice) && e.Value == 0 || e.Kind == slurm.EditRequireNodes && len(e.Nodes) == 0
	if !s.record.isKnown {
		s.t.Errorf("%v is sent by a daemon that does not know what operators did", e)
	}
	for _, a := range s.record.seen {
		switch {
		case a.Kind == bridge.OperatorStop:
			s.t.Errorf("%v is sent while stopped", e)
		case !givesBack && a.Jobs.Job == e.Run.Job:
			s.t.Errorf("%v is sent to a job that is left alone", e)
		}
	}
	for _, d := range s.record.lowered {
		stops := e.Kind == slurm.EditRequeue || e.Kind == slurm.EditWarn
		steers := stops || e.Kind == slurm.EditLease || e.Kind == slurm.EditRequireNodes
		if !givesBack && (d.LeftMode() == bridge.ModeObserve || d.LeftMode() == bridge.ModeRank && steers || d.LeftMode() == bridge.ModeSteer && stops) {
			s.t.Errorf("%v is sent while the partition is lowered to mode %s", e, d.LeftMode())
		}
	}
}

// standing returns the values of ours that can be given back, by job.
func (s *site) standing() map[int64][]slurm.Edit {
	s.t.Helper()
	r := push.Releaser{Ports: s.loop.PushPorts(), Leadership: s.db, ClusterName: "lab", HolderName: "look"}
	found, err := r.FindReleasable(context.Background())
	check(s.t, err)
	out := map[int64][]slurm.Edit{}
	for _, e := range found.Edits {
		out[e.Run.Job] = append(out[e.Run.Job], e)
	}
	return out
}

// act records an action.
func (s *site) act(kind bridge.OperatorActionKind, job int64, until time.Duration) *bridge.OperatorAction {
	a := bridge.OperatorAction{ID: int64(len(s.record.actions) + 1), Kind: kind, By: "oper", Why: "So it is.", At: s.World.Now()}
	if until > 0 {
		a.Until = s.World.Now().Add(until)
	}
	if j, err := s.World.Job(job); err == nil {
		a.Jobs = bridge.JobTarget{Address: "4711", Job: job, Submit: j.CurrentRun().Submit, Restarts: j.Restarts}
	}
	s.record.actions = append(s.record.actions, a)
	return &s.record.actions[len(s.record.actions)-1]
}

var errAway = errors.New("nobody answers")

// leasedSite is one on which small jobs are kept from starting behind a large one, in our order.
func leasedSite(t *testing.T) (s *site, small []int64) {
	t.Helper()
	s = newSite(t, t.TempDir(), 2, bridge.ModeSteer, "fifo", paper.Params{"backfill": "none"})
	_, err := s.World.Submit(sim.JobSpec{User: "big", Account: "big", MinNodes: 2, GPUsPerNode: 8, TimeLimit: time.Hour, WorkTime: time.Hour})
	check(t, err)
	for range 4 {
		small = append(small, s.submit("small", 1, time.Hour))
	}
	s.cycles(4)
	check(t, s.World.Cancel("hog", "2"))
	s.cycles(6)
	return s, small
}
