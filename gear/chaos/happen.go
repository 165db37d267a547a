package chaos

import (
	"math/rand/v2"
	"os"
	"time"

	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/people"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// endExpiredFaults ends what is over, and keeps a backup now and then.
func (t *trial) endExpiredFaults() {
	f := &t.faults
	for _, k := range []event.Kind{event.SlurmClockAhead, event.SlurmClockBehind, event.DaemonClockOff} {
		if !f.isActive(k, t.cycle) {
			delete(f.clockShiftByKind, k)
		}
	}
	if !f.isActive(event.StopFileWritten, t.cycle) {
		_ = os.Remove(t.stopFile)
	}
	if !f.isActive(event.PartitionClosed, t.cycle) && f.randomByKind[event.PartitionClosed] > 0 {
		f.randomByKind[event.PartitionClosed] = 0
		_ = t.world.SetPartitionUp(site.ManagedPartition, true)
	}
	if t.cycle%10 == 0 {
		t.store.addBackup()
	}
}

// endAllFaults ends everything.
func (t *trial) endAllFaults() {
	boot := t.faults.slurmctldStart
	t.faults = newFaults()
	t.faults.slurmctldStart = boot
	_ = os.Remove(t.stopFile)
	_ = t.world.SetPartitionUp(site.ManagedPartition, true)
	for _, x := range t.world.Reservations() {
		t.world.RemoveReservation(x.Name)
	}
	for _, n := range t.world.Nodes() {
		_ = t.world.ResumeNode(n.Name)
	}
}

// applyEvent lets an event happen.
func (t *trial) applyEvent(e event.Event) {
	t.trace.addLine("%v", e)
	r := e.NewRand()
	if do := people.ActionForKind(e.Kind); do != nil {
		t.doAtRandomMoment(r, func() { do(t.newPeople(), r) })
		return
	}
	if f, ok := effectByKind[e.Kind]; ok {
		f(t, r)
		return
	}
	t.startFault(e.Kind, r)
}

func (t *trial) newPeople() people.People { return people.People{Site: t.Site, World: t.world} }

func submitJobs(t *trial, r *rand.Rand) {
	if err := t.newPeople().SubmitJob(r); err != nil {
		t.oracle.AddBreach("harness", 0, "%v", err)
	}
}

// doAtRandomMoment lets a person act at any moment: before the cycle, between two calls of
// a daemon, or between two cycles.
func (t *trial) doAtRandomMoment(r *rand.Rand, do func()) {
	switch when := r.IntN(4); when {
	case 0:
		do()
	case 1, 2:
		t.daemons[r.IntN(len(t.daemons))].scheduleAtPortCall(1+r.IntN(30), do)
	default:
		t.world.ScheduleAt(t.world.Now().Add(time.Duration(1+r.IntN(29))*time.Second), do)
	}
}

// startFault lets a fault go on for some cycles.
func (t *trial) startFault(k event.Kind, r *rand.Rand) {
	n := 1 + r.IntN(4)
	if r.IntN(4) == 0 {
		n += r.IntN(12)
	}
	t.faults.endCycleByKind[k] = t.cycle + n
	t.faults.randomByKind[k] = r.Uint64()
}

// effectByKind are what the events do that are more than a fault that lasts.
var effectByKind = map[event.Kind]func(*trial, *rand.Rand){
	event.SubmitJob:        submitJobs,
	event.SlurmUnreachable: failNextWrites(event.SlurmUnreachable), event.WriteRequestLost: failNextWrites(event.WriteRequestLost), event.WriteAnswerLost: failNextWrites(event.WriteAnswerLost),
	event.WriteLate: failNextWrites(event.WriteLate), event.WriteServerError: failNextWrites(event.WriteServerError), event.WriteBusy: failNextWrites(event.WriteBusy),
	event.SlurmClockAhead: shiftClock(event.SlurmClockAhead, 1), event.SlurmClockBehind: shiftClock(event.SlurmClockBehind, -1), event.DaemonClockOff: shiftClock(event.DaemonClockOff, 1),
	event.SlurmRestart: restartSlurm, event.NodeDown: changeRandomNode((*sim.World).DownNode),
	event.NodeDrain: changeRandomNode((*sim.World).DrainNode), event.NodeUp: changeRandomNode(resumeNode),
	event.PartitionClosed: closePartition,
	event.DaemonKilled:    killDaemon, event.DaemonFrozen: freezeDaemon, event.StopFileWritten: writeStopFile, event.ReleaseCommand: releaseAndRestart,
	event.CommitAnswerLost: func(t *trial, _ *rand.Rand) { t.faults.lostCommitCount++ },
	event.DatabaseRestored: restoreDatabase,
}

// failNextWrites lets the next few writes suffer.
func failNextWrites(k event.Kind) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		for range 1 + r.IntN(4) {
			t.faults.nextWriteFaults = append(t.faults.nextWriteFaults, k)
		}
		if k == event.WriteLate {
			t.faults.writeDelay = time.Duration(1+r.IntN(230)) * time.Second
		}
	}
}

// shiftClock puts a clock forward or back for some cycles: by seconds, minutes, hours
// or a month.
func shiftClock(k event.Kind, sign time.Duration) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		t.startFault(k, r)
		d := []time.Duration{4 * time.Second, 40 * time.Second, 10 * time.Minute, time.Hour, 24 * time.Hour, 720 * time.Hour}[r.IntN(6)]
		if k == event.DaemonClockOff && r.IntN(2) == 0 {
			d = -d
		}
		t.faults.clockShiftByKind[k] = sign * d
	}
}

func changeRandomNode(do func(*sim.World, string, string) error) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		all := t.world.Nodes()
		_ = do(t.world, all[r.IntN(len(all))].Name, "chaos")
	}
}

func resumeNode(w *sim.World, name, _ string) error { return w.ResumeNode(name) }

func closePartition(t *trial, r *rand.Rand) {
	t.startFault(event.PartitionClosed, r)
	t.faults.randomByKind[event.PartitionClosed] = 1
	_ = t.world.SetPartitionUp(site.ManagedPartition, false)
}

// restartSlurm starts slurmctld again: what was written in the last seconds is
// forgotten, and for a while nothing answers.
func restartSlurm(t *trial, r *rand.Rand) {
	t.faults.slurmctldStart = t.world.Now().Truncate(time.Second)
	if r.IntN(2) == 0 {
		t.faults.endCycleByKind[event.PollFails] = max(t.faults.endCycleByKind[event.PollFails], t.cycle+1+r.IntN(2))
	}
	if r.IntN(2) == 0 {
		t.oracle.ForgetWritesSince(t.world.Now().Add(-5 * time.Second))
	}
}

func killDaemon(t *trial, r *rand.Rand) {
	p, renamed, rest := t.daemons[r.IntN(len(t.daemons))], r.IntN(2) == 0, r.IntN(5)
	p.scheduleAtPortCall(1+r.IntN(40), func() { p.kill(renamed, rest) })
}

func freezeDaemon(t *trial, r *rand.Rand) {
	p, d, over := t.daemons[r.IntN(len(t.daemons))], time.Duration(20+r.IntN(400))*time.Second, r.IntN(2) == 0
	p.scheduleAtPortCall(1+r.IntN(40), func() { p.freeze(d, over) })
}

func writeStopFile(t *trial, r *rand.Rand) {
	t.startFault(event.StopFileWritten, r)
	t.daemons[0].scheduleAtPortCall(1+r.IntN(40), func() {
		t.stopFileMadeAt = t.world.Now()
		_ = os.WriteFile(t.stopFile, nil, 0o600)
	})
}

func restoreDatabase(t *trial, r *rand.Rand) {
	at := t.store.restore(r.IntN(4))
	t.trace.addLine("the database is as it was at %v", at.Format(time.TimeOnly))
	t.oracle.NoteDatabaseRestored(at)
}
