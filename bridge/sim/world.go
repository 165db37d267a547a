package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"fairbridge/bridge/sim/backfill"
	"fairbridge/bridge/sim/event"
	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/sim/reservation"
	"fairbridge/bridge/slurm"
)

// World is a cluster under Slurm. It is not safe for concurrent use.
//
// Its parts are the daemon (configuration, log, and the time of event.Queue: Now,
// At, Step, Advance), the commands by which users change jobs, the submissions, the
// records as Slurm shows them, the table of jobs and what accounting keeps. Their
// methods are the World's; nodes, partitions and reservations it keeps itself.
//
// Left out: reservations of parts of nodes, licences, burst buffers, suspension, Slurm's own
// preemption, heterogeneous jobs, federations, QOS limits, topology-aware
// choice of nodes and power saving. Fair share is the classic formula over
// accounts and users, not fair tree.
type World struct {
	*daemon
	*jobCommands
	*submissions
	*records
	*jobTable
	*accounting

	nodes        *inventory.Inventory
	reservations reservation.Book
	runs         *lifecycle
	sched        *scheduler
}

// New makes an idle cluster. An error names what is wrong with the
// configuration.
func New(c Config) (*World, error) {
	c = c.withDefaults()
	nodes, err := inventory.New(c.Nodes, c.Partitions)
	if err != nil {
		return nil, err
	}
	d := &daemon{Queue: event.New(c.Start), cfg: c, changed: c.Start}
	w := &World{daemon: d, nodes: nodes, jobTable: newTable(&c), accounting: &accounting{}}
	people := users(c.Users)
	prio := newPriorities(d, w.jobTable)
	w.runs = &lifecycle{daemon: d, jobs: w.jobTable, prio: prio, accounting: w.accounting}
	w.sched = &scheduler{daemon: d, nodes: nodes, jobs: w.jobTable, prio: prio, runs: w.runs, reservations: &w.reservations, plan: &backfill.Plan{}}
	w.records = &records{daemon: d, users: people, jobs: w.jobTable}
	w.jobCommands = &jobCommands{daemon: d, users: people, nodes: nodes, jobs: w.jobTable, prio: prio, runs: w.runs, records: w.records, accounting: w.accounting}
	w.submissions = &submissions{daemon: d, users: people, nodes: nodes, jobs: w.jobTable, prio: prio, runs: w.runs, accounting: w.accounting}
	d.wake = w.sched.requestPass

	r := rand.New(rand.NewPCG(uint64(c.Seed), 0x5ca1ab1e))
	w.Every(randomPhase(r, c.SchedInterval), c.SchedInterval, w.sched.fullPass)
	w.Every(randomPhase(r, c.CalcPeriod), c.CalcPeriod, func() {
		if prio.recompute() {
			w.sched.changedAt = w.Now()
		}
	})
	if c.BackfillInterval > 0 {
		w.Every(randomPhase(r, c.BackfillInterval), c.BackfillInterval, w.sched.backfill)
	}
	return w, nil
}

// randomPhase draws when a periodic thread first wakes.
func randomPhase(r *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(d)/1e6)) * time.Millisecond
}

// Run advances until no job is pending or running, or until limit. It reports
// whether all jobs ended.
func (w *World) Run(limit time.Time) bool {
	for w.openCount > 0 || w.scheduled > 0 {
		if !w.Step(limit) {
			return false
		}
	}
	return true
}

// LastBackfill returns when backfill last ran; zero before the first pass.
func (w *World) LastBackfill() time.Time { return w.sched.lastBackfill }

// Split gives one task of a pending array a record of its own, as an update
// addressed to the task does, and returns its id.
func (w *World) Split(array, task int64) (int64, error) {
	j := w.taskRecord(array, task)
	switch {
	case j == nil:
		return 0, newError(ErrnoNoSuchJob, "Invalid job id specified")
	case j.isUnsplit():
		j = w.runs.splitTask(j, task)
	}
	return j.id, nil
}

// Down takes a node away: its jobs fail and are requeued where they may be.
func (w *World) Down(name, reason string) error {
	n, err := w.node(name)
	if err != nil {
		return err
	}
	n.Down = reason
	w.logf("node %s down %s", name, reason)
	for _, j := range slices.Clone(w.list) {
		if j.state == running && j.slots.UsesNode(n) {
			w.runs.stop(j, "NODE_FAIL", !j.spec.NoRequeue)
		}
	}
	return nil
}

// Drain lets nothing new start on a node.
func (w *World) Drain(name, reason string) error {
	n, err := w.node(name)
	if err != nil {
		return err
	}
	n.Drain = reason
	w.logf("node %s drain %s", name, reason)
	return nil
}

// Resume brings a node back from Down or Drain.
func (w *World) Resume(name string) error {
	n, err := w.node(name)
	if err != nil {
		return err
	}
	n.Down, n.Drain = "", ""
	w.logf("node %s up", name)
	w.wake()
	return nil
}

func (w *World) node(name string) (*inventory.Node, error) {
	n := w.nodes.Node(name)
	if n == nil {
		return nil, newError(ErrnoBadNode, "Invalid node name specified")
	}
	return n, nil
}

// SetPartition opens a partition or closes it, as an administrator does. While
// it is down its jobs queue and none starts.
func (w *World) SetPartition(name string, up bool) error {
	p := w.nodes.Partition(name)
	if p == nil {
		return newError(ErrnoBadPartition, "Invalid partition name specified")
	}
	p.Down = !up
	w.logf("partition %s up=%t", name, up)
	w.wake()
	return nil
}

// Nodes returns every node as Slurm shows it, in Slurm's order.
func (w *World) Nodes() []slurm.Node {
	out := make([]slurm.Node, len(w.nodes.Nodes))
	for i, n := range w.nodes.Nodes {
		out[i] = n.Show()
		out[i].Version = w.cfg.Release
		if flag := w.reservations.NodeFlag(n, w.Now()); flag != "" {
			out[i].Flags = append(out[i].Flags, flag)
			slices.Sort(out[i].Flags)
		}
	}
	return out
}

// Partitions returns every partition as Slurm shows it.
func (w *World) Partitions() []slurm.Partition {
	out := make([]slurm.Partition, len(w.nodes.Partitions))
	for i, p := range w.nodes.Partitions {
		out[i] = p.Show()
	}
	return out
}

// Reserve makes a reservation, or replaces the one of the same name.
func (w *World) Reserve(r Reservation) error {
	if !w.nodes.HasNodes(r.Nodes) {
		return newError(ErrnoBadNode, "Invalid node name specified")
	}
	w.Unreserve(r.Name)
	e := w.reservations.Add(r, w.nodes.Select(r.Nodes))
	w.logf("reservation %s of %v from %s to %s", r.Name, r.Nodes, formatTime(r.From), formatTime(r.To))
	w.scheduleReservation(e)
	return nil
}

// Unreserve ends a reservation, if there is one of the name.
func (w *World) Unreserve(name string) {
	w.reservations.Remove(name)
	w.noteChange()
	w.wake()
}

// scheduleReservation waits for the reservation to begin and to end; one that recurs moves on
// then.
func (w *World) scheduleReservation(e *reservation.Entry) {
	w.At(e.From, w.noteChange)
	if e.To.IsZero() {
		return
	}
	w.At(e.To, func() {
		ended, recurs := w.reservations.EndEntry(e, w.Now())
		if recurs {
			w.scheduleReservation(e)
		}
		if ended {
			w.noteChange()
			w.wake()
		}
	})
}

// Reservations returns every reservation as Slurm shows it, by name.
func (w *World) Reservations() []slurm.Reservation { return w.reservations.Show() }
