package cycle_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// rig is a loop on a simulated Slurm, and a database in memory that goes by Slurm's
// clock. Slurm's time is virtual: each cycle takes it one interval further. What a
// real database may do otherwise is tried in accounting/stores.
type rig struct {
	t     *testing.T
	w     *sim.World
	wire  *wire
	db    *memstore.Store
	log   bytes.Buffer
	conf  bridge.Config
	loop  *cycle.Loop
	stops string

	expiry bridge.ExpirerStatus
}

// wire is the cluster as the loop sees it. It counts writes and can fail.
type wire struct {
	sim.DirectCluster
	applied      []slurm.Edit
	observe      error                  // what Observe answers
	spoil        func(*slurm.View)      // makes a view lie; nil: it tells the truth
	hidesReasons bool                   // no job shows its reason
	removed      map[string]bool        // nodes that Slurm says it does not know
	answer       func(slurm.Edit) error // what ApplyEdit answers instead of applying; nil: apply
	lost         func(slurm.Edit) error // what ApplyEdit answers after applying
	deaf         bool                   // ApplyEdit says yes and does nothing
	between      func(w *sim.World)     // happens between looking and pushing
	looked       func()                 // happens while looking
	listed       map[int64]slurm.Job    // what lists show of jobs, until they are read one by one: people's edits are not in jobs/state
	showsNices   bool                   // lists show every nice, also where only those that were asked for do
	partial      func() bool            // whether a poll reads only what changed, unless a whole list was asked for; nil: never

	fullReads int  // how often a whole list was asked for
	asked     bool // one was asked for since the last poll
}

func (c *wire) RequestFullRead() { c.fullReads, c.asked = c.fullReads+1, true }

func (c *wire) Observe(ctx context.Context) (*slurm.View, error) {
	if c.looked != nil {
		c.looked()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.observe != nil {
		return nil, c.observe
	}
	v, err := c.DirectCluster.Observe(ctx)
	if err == nil && c.spoil != nil {
		c.spoil(v)
	}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.IsPending() && (c.asked || c.showsNices) {
			is, _ := c.DirectCluster.RereadJob(ctx, j.ID)
			j.Nice, j.IsNiceKnown = is.Nice, true
		}
	}
	v.IsFullRead = c.asked || c.partial == nil || !c.partial()
	c.asked = false
	for i := range v.Jobs {
		if j, ok := c.listed[v.Jobs[i].ID]; ok {
			v.Jobs[i] = j
		}
		c.hideReason(&v.Jobs[i])
	}
	return v, err
}

func (c *wire) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	delete(c.listed, id)
	if c.between != nil {
		c.between(c.World)
	}
	j, err := c.DirectCluster.RereadJob(ctx, id)
	c.hideReason(&j)
	return j, err
}

func (c *wire) hideReason(j *slurm.Job) {
	if c.hidesReasons {
		j.Reason = ""
	}
}

func (c *wire) HasNode(ctx context.Context, name string) (bool, error) {
	if c.removed[name] {
		return false, nil
	}
	return c.DirectCluster.HasNode(ctx, name)
}

func (c *wire) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	c.applied = append(c.applied, e)
	if c.answer != nil {
		if err := c.answer(e); err != nil {
			return err
		}
	}
	if c.deaf {
		return nil
	}
	err := c.DirectCluster.ApplyEdit(ctx, e)
	if c.lost != nil {
		return c.lost(e)
	}
	return err
}

// newRig makes a cluster of two nodes with eight GPUs each, and a loop over its
// partition gpu in the mode, by the policy.
func newRig(t *testing.T, mode bridge.Mode, name string, params paper.Params) *rig {
	t.Helper()
	return newRigOn(t, sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}},
		BackfillInterval: -1, RequeueDelay: 10 * time.Second, FullPassInterval: 30 * time.Second,
	}, mode, name, params)
}

// newRigOn makes a loop over partition gpu of the cluster, which is named lab.
func newRigOn(t *testing.T, cluster sim.Config, mode bridge.Mode, name string, params paper.Params) *rig {
	t.Helper()
	w, err := sim.New(cluster)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, w: w, wire: &wire{DirectCluster: sim.DirectCluster{World: w}}, db: memstore.New(w.Now, nil, 0), expiry: bridge.SimulatedExpirer{}, stops: filepath.Join(t.TempDir(), "STOP")}
	r.conf = bridge.DefaultConfig()
	r.conf.ClusterName, r.conf.DaemonName, r.conf.StopFile = "lab", "test:1", r.stops
	r.conf.Budgets.Quantum, r.conf.Budgets.Cooldown, r.conf.Budgets.GainFactor = time.Minute, time.Minute, 0
	r.conf.Budgets.StopPercent, r.conf.Budgets.StopPercent1h, r.conf.Budgets.LostPercent24h, r.conf.Budgets.LostPercent1h = 100, 1000, 100, 100
	entry, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	decide, err := entry.New(params)
	if err != nil {
		t.Fatal(err)
	}
	r.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: mode, Policy: name, DecidingPolicy: decide}}
	r.restart()
	return r
}

// restart begins a new daemon, as after a crash.
func (r *rig) restart() {
	r.t.Helper()
	l, err := cycle.New(r.conf, r.parts())
	if err != nil {
		r.t.Fatal(err)
	}
	r.loop = l
}

func (r *rig) parts() cycle.Parts {
	return cycle.Parts{
		Cluster: r.wire, Journal: r.db, Leadership: r.db, History: r.db, Probes: bridge.NoProbes{}, ExpirerStatus: r.expiry,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: r.w.Now,
		Log: slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func (r *rig) submit(s sim.JobSpec) int64 {
	r.t.Helper()
	if s.TimeLimit == 0 {
		s.TimeLimit = 2 * time.Hour
	}
	if s.WorkTime == 0 {
		s.WorkTime = time.Hour
	}
	id, err := r.w.Submit(s)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// cycles runs n cycles and returns the last report.
func (r *rig) cycles(n int) (last cycle.Report) {
	r.t.Helper()
	for range n {
		last = r.loop.Step(r.t.Context())
		r.w.Advance(r.w.Now().Add(r.conf.Interval))
	}
	return last
}

func (r *rig) job(id int64) slurm.Job {
	r.t.Helper()
	j, err := r.w.Job(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

// kinds counts what was sent by kind.
func (r *rig) kinds() map[slurm.EditKind]int {
	n := map[slurm.EditKind]int{}
	for _, e := range r.wire.applied {
		n[e.Kind]++
	}
	return n
}
