package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"fairbridge/bridge/sim/event"
)

// World is a cluster under Slurm. It is not safe for concurrent use.
//
// Left out: reservations of parts of nodes, licences, burst buffers, suspension, Slurm's own
// preemption, heterogeneous jobs, federations, QOS limits, topology-aware
// choice of nodes and power saving. Fair share is the classic formula over
// accounts and users, not fair tree.
type World struct {
	*event.Queue // virtual time
	cfg          Config
	rng          *rand.Rand
	nodes        []*node
	byName       map[string]*node
	parts        []*partition
	jobs         map[int64]*job
	order        []*job         // listed jobs by id
	asides       []*reservation // by name
	nextID       int64
	runs         uint64 // run identities given out
	open         int    // records pending or running
	coming       int    // submissions still to come

	passAt    time.Time // when the next event-driven pass is due; zero: none
	lastPass  time.Time
	lastFull  time.Time
	lastBF    time.Time
	dirty     time.Time // last time something happened that could let a job start
	changed   time.Time // last change of any job
	past      map[int64]outcome
	usage     map[assoc]float64
	sorted    []assoc // keys of usage
	usageAt   time.Time
	segments  []Segment
	signals   []Delivered
	future    future // of the last backfill pass, kept for its memory
	submitted int
	started   int
	completed int
}

// assoc is a user in an account.
type assoc struct{ account, user string }

// New makes an idle cluster. An error names what is wrong with the
// configuration.
func New(c Config) (*World, error) {
	c = c.withDefaults()
	w := &World{
		Queue: event.New(c.Start), cfg: c, nextID: c.FirstJobID,
		rng:    rand.New(rand.NewPCG(uint64(c.Seed), 0x5ca1ab1e)),
		byName: map[string]*node{}, jobs: map[int64]*job{}, usage: map[assoc]float64{},
		past:    map[int64]outcome{},
		usageAt: c.Start, changed: c.Start,
	}
	for i, n := range c.Nodes {
		if err := w.addNode(i, n); err != nil {
			return nil, err
		}
	}
	for _, p := range c.Partitions {
		if err := w.addPartition(p); err != nil {
			return nil, err
		}
	}
	for _, u := range c.Users {
		if u.Used > 0 {
			w.usage[assoc{u.Account, u.Name}] += u.Used
		}
	}
	w.Every(w.phase(c.SchedInterval), c.SchedInterval, func() { w.pass(0) })
	w.Every(w.phase(c.CalcPeriod), c.CalcPeriod, w.recompute)
	if c.BackfillInterval > 0 {
		w.Every(w.phase(c.BackfillInterval), c.BackfillInterval, w.backfill)
	}
	return w, nil
}

// phase draws when a periodic thread first wakes.
func (w *World) phase(d time.Duration) time.Duration {
	return time.Duration(w.rng.Int64N(int64(d)/1e6)) * time.Millisecond
}

func (w *World) addNode(i int, n Node) error {
	switch {
	case n.Name == "":
		return fmt.Errorf("node %d has no name", i+1)
	case w.byName[n.Name] != nil:
		return fmt.Errorf("node %s is given twice", n.Name)
	case len(n.GPUs) > maxTypes:
		return fmt.Errorf("node %s has %d GPU types; the most is %d", n.Name, len(n.GPUs), maxTypes)
	}
	for _, g := range n.GPUs {
		if g.Type == "" || g.Count < 1 || g.Count > 64 {
			return fmt.Errorf("node %s: want a GPU type and a count from 1 to 64, not %q %d", n.Name, g.Type, g.Count)
		}
	}
	if n.CPUs == 0 {
		n.CPUs = 64
	}
	if n.MemMB == 0 {
		n.MemMB = 512_000
	}
	x := &node{Node: n, index: i}
	w.nodes = append(w.nodes, x)
	w.byName[n.Name] = x
	return nil
}

func (w *World) addPartition(p Partition) error {
	if p.Name == "" || strings.Contains(p.Name, ",") {
		return fmt.Errorf("%q is not a partition name", p.Name)
	}
	if p.Tier == 0 {
		p.Tier = 1
	}
	x := &partition{Partition: p}
	for _, name := range p.Nodes {
		if w.byName[name] == nil {
			return fmt.Errorf("partition %s: no node %q", p.Name, name)
		}
	}
	for _, n := range w.nodes {
		if len(p.Nodes) == 0 || contains(p.Nodes, n.Name) {
			x.nodes = append(x.nodes, n)
			n.parts = append(n.parts, p.Name)
		}
	}
	w.parts = append(w.parts, x)
	return nil
}

// Version returns the Slurm release it plays.
func (w *World) Version() string { return w.cfg.Release }

// Cluster returns the cluster's name.
func (w *World) Cluster() string { return w.cfg.Cluster }

// Started returns when slurmctld started.
func (w *World) Started() time.Time { return w.cfg.Start }

// Changed returns when a job last changed.
func (w *World) Changed() time.Time { return w.changed }

// LastBackfill returns when backfill last ran; zero before the first pass.
func (w *World) LastBackfill() time.Time { return w.lastBF }

// Open returns how many job records are pending or running.
func (w *World) Open() int { return w.open }

// Waiting returns how many job records are pending.
func (w *World) Waiting() int {
	n := 0
	for _, j := range w.order {
		if j.state == pending {
			n++
		}
	}
	return n
}

// Segments returns the accounting records of all ended runs, by end.
func (w *World) Segments() []Segment { return w.segments }

// sec is the current time as Slurm records it, in whole seconds.
func (w *World) sec() time.Time { return w.Now().Truncate(time.Second) }

// Totals returns how many jobs were submitted, started and completed so far.
func (w *World) Totals() (submitted, started, completed int) {
	return w.submitted, w.started, w.completed
}
