package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/backfill"
	"fairbridge/replica/sim/event"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/reader"
	"fairbridge/replica/sim/reservation"
	"fairbridge/replica/sim/users"
)

// World is a cluster under Slurm. It is not safe for concurrent use.
//
// Its parts are the daemon (configuration, log, and the time of event.Queue: Now,
// ScheduleAt, Step, Advance), the commands by which users change jobs, the submitter, the
// records as Slurm shows them, the table of jobs and what accounting keeps. Their
// methods are the World's; nodes, partitions and reservations it keeps itself.
//
// Left out: reservations of parts of nodes, licences, burst buffers, suspension, Slurm's own
// preemption, heterogeneous jobs, federations, QOS limits, topology-aware choice of nodes and
// power saving. Accounts are no tree: each stands below the root.
type World struct {
	*daemon
	*jobCommands
	*submitter
	*jobRecords
	*jobTable
	*accounting

	inventory    *inventory.Inventory
	reservations reservation.Book
	lifecycle    *lifecycle
	scheduler    *scheduler
}

// New makes an idle cluster. An error names what is wrong with the
// configuration.
func New(c Config) (*World, error) {
	c = c.withDefaults()
	nodes, err := inventory.New(c.Nodes, c.Partitions)
	if err != nil {
		return nil, err
	}
	d := &daemon{Queue: event.NewQueue(c.Start), config: c, lastChange: c.Start}
	w := &World{daemon: d, inventory: nodes, jobTable: newJobTable(&c), accounting: &accounting{}}
	people := users.List(c.Users)
	prio := newPriorities(d, w.jobTable)
	w.lifecycle = &lifecycle{daemon: d, jobs: w.jobTable, priorities: prio, accounting: w.accounting}
	w.scheduler = &scheduler{daemon: d, inventory: nodes, jobs: w.jobTable, priorities: prio, lifecycle: w.lifecycle, reservations: &w.reservations, backfillPlan: &backfill.Plan{}}
	w.jobRecords = &jobRecords{daemon: d, users: people, jobs: w.jobTable, reader: reader.New()}
	w.jobCommands = &jobCommands{daemon: d, users: people, inventory: nodes, jobs: w.jobTable, priorities: prio, lifecycle: w.lifecycle, records: w.jobRecords, accounting: w.accounting}
	w.submitter = &submitter{daemon: d, users: people, inventory: nodes, jobs: w.jobTable, priorities: prio, lifecycle: w.lifecycle, accounting: w.accounting}
	d.queueMainPass, d.startMainPass = w.scheduler.queueMainPass, w.scheduler.startMainPass

	r := rand.New(rand.NewPCG(uint64(c.Seed), 0x5ca1ab1e))
	w.ScheduleEvery(randomPhase(r, c.FullPassInterval), c.FullPassInterval, w.scheduler.runFullPass)
	w.ScheduleEvery(randomPhase(r, c.PriorityCalcPeriod), c.PriorityCalcPeriod, func() {
		if prio.recomputePriorities() {
			w.scheduler.lastRelevantChange = w.Now()
		}
	})
	w.scheduler.backgroundPhase = randomPhase(r, time.Second)
	if c.BackfillInterval > 0 {
		w.scheduler.scheduleBackfill(randomPhase(r, c.BackfillInterval))
	}
	return w, nil
}

// randomPhase draws when a periodic thread first wakes.
func randomPhase(r *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(d)/1e6)) * time.Millisecond
}

// RunUntilIdle advances until no job is pending or running, or until limit. It reports
// whether all jobs ended.
func (w *World) RunUntilIdle(limit time.Time) bool {
	for w.openCount > 0 || w.scheduledCount > 0 {
		if !w.Step(limit) {
			return false
		}
	}
	return true
}

// LastBackfill returns when backfill last ran; zero before the first pass.
func (w *World) LastBackfill() time.Time { return w.scheduler.lastBackfill }

// SplitTask gives one task of a pending array a record of its own, as an update
// addressed to the task does, and returns its id.
func (w *World) SplitTask(array, task int64) (int64, error) {
	j := w.taskRecord(array, task)
	switch {
	case j == nil:
		return 0, newSlurmError(ErrnoNoSuchJob, "Invalid job id specified")
	case j.isUnsplit():
		j = w.lifecycle.splitTask(j, task)
	}
	return j.id, nil
}

// DownNode takes a node away: its jobs fail and are requeued where they may be.
func (w *World) DownNode(name, reason string) error {
	n, err := w.findNode(name)
	if err != nil {
		return err
	}
	n.DownReason = reason
	w.logf("node %s down %s", name, reason)
	for _, j := range slices.Clone(w.sortedJobs) {
		if j.state == stateRunning && j.slots.UsesNode(n) {
			w.lifecycle.stopRun(j, "NODE_FAIL", !j.spec.NoRequeue)
		}
	}
	return nil
}

// DrainNode lets nothing new start on a node.
func (w *World) DrainNode(name, reason string) error {
	n, err := w.findNode(name)
	if err != nil {
		return err
	}
	n.DrainReason = reason
	w.logf("node %s drain %s", name, reason)
	return nil
}

// ResumeNode brings a node back from Down or Drain.
func (w *World) ResumeNode(name string) error {
	n, err := w.findNode(name)
	if err != nil {
		return err
	}
	n.DownReason, n.DrainReason = "", ""
	w.logf("node %s up", name)
	w.queueMainPass()
	return nil
}

func (w *World) findNode(name string) (*inventory.Node, error) {
	n := w.inventory.Node(name)
	if n == nil {
		return nil, newSlurmError(ErrnoBadNode, "Invalid node name specified")
	}
	return n, nil
}

// SetPartitionUp opens a partition or closes it, as an administrator does. While
// it is down its jobs queue and none starts.
func (w *World) SetPartitionUp(name string, up bool) error {
	p := w.inventory.Partition(name)
	if p == nil {
		return newSlurmError(ErrnoBadPartition, "Invalid partition name specified")
	}
	p.IsDown = !up
	w.logf("partition %s up=%t", name, up)
	w.queueMainPass()
	return nil
}

// Nodes returns every node as Slurm shows it, in Slurm's order.
func (w *World) Nodes() []slurm.Node {
	out := make([]slurm.Node, len(w.inventory.Nodes))
	for i, n := range w.inventory.Nodes {
		out[i] = n.AsSlurm()
		out[i].Version = w.config.Release
		if flag := w.reservations.NodeFlag(n, w.Now()); flag != "" {
			out[i].Flags = append(out[i].Flags, flag)
			slices.Sort(out[i].Flags)
		}
	}
	return out
}

// Partitions returns every partition as Slurm shows it.
func (w *World) Partitions() []slurm.Partition {
	out := make([]slurm.Partition, len(w.inventory.Partitions))
	for i, p := range w.inventory.Partitions {
		out[i] = p.AsSlurm()
	}
	return out
}

// AddReservation makes a reservation, or replaces the one of the same name.
func (w *World) AddReservation(r Reservation) error {
	if !w.inventory.HasNodes(r.Nodes) {
		return newSlurmError(ErrnoBadNode, "Invalid node name specified")
	}
	w.RemoveReservation(r.Name)
	e := w.reservations.Add(r, w.inventory.SelectNodes(r.Nodes))
	w.logf("reservation %s of %v from %s to %s", r.Name, r.Nodes, formatTime(r.From), formatTime(r.To))
	w.scheduleReservation(e)
	return nil
}

// RemoveReservation ends a reservation, if there is one of the name.
func (w *World) RemoveReservation(name string) {
	w.reservations.Remove(name)
	w.noteChange()
	w.queueMainPass()
}

// scheduleReservation waits for the reservation to begin and to end; one that recurs moves on
// then.
func (w *World) scheduleReservation(e *reservation.Entry) {
	w.ScheduleAt(e.From, w.noteChange)
	if e.To.IsZero() {
		return
	}
	w.ScheduleAt(e.To, func() {
		ended, recurs := w.reservations.EndEntry(e, w.Now())
		if recurs {
			w.scheduleReservation(e)
		}
		if ended {
			w.noteChange()
			w.queueMainPass()
		}
	})
}

// Reservations returns every reservation as Slurm shows it, by name.
func (w *World) Reservations() []slurm.Reservation { return w.reservations.AsSlurm() }

// daemon is what all parts of the simulated slurmctld share: its configuration,
// its time and its log, and the notes of what changed.
type daemon struct {
	*event.Queue
	config                       Config
	lastChange                   time.Time // last change of any job
	lastShownChange              time.Time // last change of a reason, expected start or priority
	queueMainPass, startMainPass func()    // see scheduler
}

// nowTruncated is the current time as Slurm records it, in whole seconds.
func (d *daemon) nowTruncated() time.Time { return d.Now().Truncate(time.Second) }

// noteChange notes that a job changed.
func (d *daemon) noteChange() { d.lastChange = d.Now() }

// logf writes one line to the event log.
func (d *daemon) logf(format string, args ...any) {
	if d.config.Log != nil {
		fmt.Fprintf(d.config.Log, "%s %s\n", d.Now().Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...))
	}
}

// Version returns the Slurm release it plays.
func (d *daemon) Version() string { return d.config.Release }

// ClusterName returns the cluster's name.
func (d *daemon) ClusterName() string { return d.config.ClusterName }

// StartTime returns when slurmctld started.
func (d *daemon) StartTime() time.Time { return d.config.Start }

// LastChange returns when a job last changed.
func (d *daemon) LastChange() time.Time { return d.lastChange }

// LastShownChange returns when what Slurm shows may last have changed other than by time: when a job did, or
// the reasons, expected starts and priorities of those that wait.
func (d *daemon) LastShownChange() time.Time { return laterTime(d.lastChange, d.lastShownChange) }

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}
