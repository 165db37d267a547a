package chaos

import (
	"math/rand/v2"
	"os"
	"time"

	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/people"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/sim"
)

// endExpiredFaults ends what is over, and keeps a backup now and then.
func (t *trial) endExpiredFaults() {
	f := &t.faults
	for _, k := range []event.Kind{event.ClockAhead, event.ClockBehind, event.OurClock} {
		if !f.isActive(k, t.cycle) {
			delete(f.size, k)
		}
	}
	if !f.isActive(event.Stop, t.cycle) {
		_ = os.Remove(t.stopFile)
	}
	if !f.isActive(event.QueueClosed, t.cycle) && f.roll[event.QueueClosed] > 0 {
		f.roll[event.QueueClosed] = 0
		_ = t.world.SetPartitionUp(site.Managed, true)
	}
	if t.cycle%10 == 0 {
		t.store.addBackup()
	}
}

// endAllFaults ends everything.
func (t *trial) endAllFaults() {
	boot := t.faults.boot
	t.faults = noFaults()
	t.faults.boot = boot
	_ = os.Remove(t.stopFile)
	_ = t.world.SetPartitionUp(site.Managed, true)
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
	r := e.Rand()
	if do := people.ActionOf(e.Kind); do != nil {
		t.atRandomMoment(r, func() { do(t.people(), r) })
		return
	}
	if f, ok := eventEffects[e.Kind]; ok {
		f(t, r)
		return
	}
	t.startFault(e.Kind, r)
}

func (t *trial) people() people.People { return people.People{Site: t.Site, World: t.world} }

func submitJobs(t *trial, r *rand.Rand) {
	if err := t.people().Submit(r); err != nil {
		t.oracle.Breach("harness", 0, "%v", err)
	}
}

// atRandomMoment lets a person act at any moment: before the cycle, between two calls of
// a daemon, or between two cycles.
func (t *trial) atRandomMoment(r *rand.Rand, do func()) {
	switch when := r.IntN(4); when {
	case 0:
		do()
	case 1, 2:
		t.procs[r.IntN(len(t.procs))].doAtPort(1+r.IntN(30), do)
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
	t.faults.until[k] = t.cycle + n
	t.faults.roll[k] = r.Uint64()
}

// eventEffects are what the events do that are more than a fault that lasts.
var eventEffects = map[event.Kind]func(*trial, *rand.Rand){
	event.Submit:      submitJobs,
	event.Unreachable: nextWrites(event.Unreachable), event.WriteLostBefore: nextWrites(event.WriteLostBefore), event.WriteLostAfter: nextWrites(event.WriteLostAfter),
	event.Late: nextWrites(event.Late), event.Broken: nextWrites(event.Broken), event.Busy: nextWrites(event.Busy),
	event.ClockAhead: shiftClock(event.ClockAhead, 1), event.ClockBehind: shiftClock(event.ClockBehind, -1), event.OurClock: shiftClock(event.OurClock, 1),
	event.Restart: restartSlurm, event.NodeDown: changeNode((*sim.World).DownNode), event.NodeDrain: changeNode((*sim.World).DrainNode), event.NodeUp: resumeNode,
	event.QueueClosed: closeQueue,
	event.Kill:        killDaemon, event.Freeze: freezeDaemon, event.Stop: writeStopFile, event.Release: releaseAndRestart,
	event.CommitLost:       func(t *trial, _ *rand.Rand) { t.faults.once = append(t.faults.once, event.CommitLost) },
	event.DatabaseRestored: restoreDatabase,
}

// nextWrites lets the next few writes suffer.
func nextWrites(k event.Kind) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		for range 1 + r.IntN(4) {
			t.faults.next = append(t.faults.next, k)
		}
		if k == event.Late {
			t.faults.lateness = time.Duration(1+r.IntN(230)) * time.Second
		}
	}
}

// shiftClock puts a clock forward or back for some cycles: by seconds, minutes, hours
// or a month.
func shiftClock(k event.Kind, sign time.Duration) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		t.startFault(k, r)
		d := []time.Duration{4 * time.Second, 40 * time.Second, 10 * time.Minute, time.Hour, 24 * time.Hour, 720 * time.Hour}[r.IntN(6)]
		if k == event.OurClock && r.IntN(2) == 0 {
			d = -d
		}
		t.faults.size[k] = sign * d
	}
}

func changeNode(do func(*sim.World, string, string) error) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		all := t.world.Nodes()
		_ = do(t.world, all[r.IntN(len(all))].Name, "chaos")
	}
}

func resumeNode(t *trial, r *rand.Rand) {
	all := t.world.Nodes()
	_ = t.world.ResumeNode(all[r.IntN(len(all))].Name)
}

func closeQueue(t *trial, r *rand.Rand) {
	t.startFault(event.QueueClosed, r)
	t.faults.roll[event.QueueClosed] = 1
	_ = t.world.SetPartitionUp(site.Managed, false)
}

// restartSlurm starts slurmctld again: what was written in the last seconds is
// forgotten, and for a while nothing answers.
func restartSlurm(t *trial, r *rand.Rand) {
	t.faults.boot = t.world.Now().Truncate(time.Second)
	if r.IntN(2) == 0 {
		t.faults.until[event.PollFails] = max(t.faults.until[event.PollFails], t.cycle+1+r.IntN(2))
	}
	if r.IntN(2) == 0 {
		t.oracle.NoteForgotten(t.world.Now().Add(-5 * time.Second))
	}
}

func killDaemon(t *trial, r *rand.Rand) {
	p, renamed, rest := t.procs[r.IntN(len(t.procs))], r.IntN(2) == 0, r.IntN(5)
	p.doAtPort(1+r.IntN(40), func() { p.end(renamed, rest) })
}

func freezeDaemon(t *trial, r *rand.Rand) {
	p, d, over := t.procs[r.IntN(len(t.procs))], time.Duration(20+r.IntN(400))*time.Second, r.IntN(2) == 0
	p.doAtPort(1+r.IntN(40), func() { p.freeze(d, over) })
}

func writeStopFile(t *trial, r *rand.Rand) {
	t.startFault(event.Stop, r)
	t.procs[0].doAtPort(1+r.IntN(40), func() {
		t.stopAt = t.world.Now()
		_ = os.WriteFile(t.stopFile, nil, 0o600)
	})
}

func restoreDatabase(t *trial, r *rand.Rand) {
	at := t.store.restore(r.IntN(4))
	t.trace.addLine("the database is as it was at %v", at.Format(time.TimeOnly))
	t.oracle.NoteRestored(at)
}
