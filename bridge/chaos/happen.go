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

// clear ends what is over, and keeps a backup now and then.
func (t *trial) clear() {
	f := &t.faults
	for _, k := range []event.Kind{event.ClockAhead, event.ClockBehind, event.OurClock} {
		if !f.is(k, t.cycle) {
			delete(f.size, k)
		}
	}
	if !f.is(event.Stop, t.cycle) {
		_ = os.Remove(t.stopFile)
	}
	if !f.is(event.Queue, t.cycle) && f.roll[event.Queue] > 0 {
		f.roll[event.Queue] = 0
		_ = t.w.SetPartition(site.Managed, true)
	}
	if t.cycle%10 == 0 {
		t.store.backUp()
	}
}

// heal ends everything.
func (t *trial) heal() {
	boot := t.faults.boot
	t.faults = noFaults()
	t.faults.boot = boot
	_ = os.Remove(t.stopFile)
	_ = t.w.SetPartition(site.Managed, true)
	for _, x := range t.w.Reservations() {
		t.w.Unreserve(x.Name)
	}
	for _, n := range t.w.Nodes() {
		_ = t.w.Resume(n.Name)
	}
}

// happen lets an event happen.
func (t *trial) happen(e event.Event) {
	t.trace.note("%v", e)
	r := e.Dice()
	if do := people.Does(e.Kind); do != nil {
		t.sometime(r, func() { do(t.people(), r) })
		return
	}
	if f, ok := effects[e.Kind]; ok {
		f(t, r)
		return
	}
	t.lasts(e.Kind, r)
}

func (t *trial) people() people.People { return people.People{Site: t.Site, World: t.w} }

func submit(t *trial, r *rand.Rand) {
	if err := t.people().Submit(r); err != nil {
		t.oracle.Breach("harness", 0, "%v", err)
	}
}

// sometime lets a person act at any moment: before the cycle, between two calls of
// a daemon, or between two cycles.
func (t *trial) sometime(r *rand.Rand, do func()) {
	switch when := r.IntN(4); when {
	case 0:
		do()
	case 1, 2:
		t.procs[r.IntN(len(t.procs))].arm(1+r.IntN(30), do)
	default:
		t.w.At(t.w.Now().Add(time.Duration(1+r.IntN(29))*time.Second), do)
	}
}

// lasts lets a fault go on for some cycles.
func (t *trial) lasts(k event.Kind, r *rand.Rand) {
	n := 1 + r.IntN(4)
	if r.IntN(4) == 0 {
		n += r.IntN(12)
	}
	t.faults.until[k] = t.cycle + n
	t.faults.roll[k] = r.Uint64()
}

// effects are what the events do that are more than a fault that lasts.
var effects = map[event.Kind]func(*trial, *rand.Rand){
	event.Submit:      submit,
	event.Unreachable: strikes(event.Unreachable), event.LostBefore: strikes(event.LostBefore), event.LostAfter: strikes(event.LostAfter),
	event.Late: strikes(event.Late), event.Broken: strikes(event.Broken), event.Busy: strikes(event.Busy),
	event.ClockAhead: clock(event.ClockAhead, 1), event.ClockBehind: clock(event.ClockBehind, -1), event.OurClock: clock(event.OurClock, 1),
	event.Restart: restarted, event.NodeDown: node((*sim.World).Down), event.NodeDrain: node((*sim.World).Drain), event.NodeUp: nodeUp,
	event.Queue: closeQueue,
	event.Kill:  kill, event.Freeze: stand, event.Stop: stop, event.Release: released,
	event.CommitLost: func(t *trial, _ *rand.Rand) { t.faults.once = append(t.faults.once, event.CommitLost) },
	event.Restored:   restored,
}

// strikes lets the next few writes suffer.
func strikes(k event.Kind) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		for range 1 + r.IntN(4) {
			t.faults.next = append(t.faults.next, k)
		}
		if k == event.Late {
			t.faults.late = time.Duration(1+r.IntN(230)) * time.Second
		}
	}
}

// clock puts a clock forward or back for some cycles: by seconds, minutes, hours
// or a month.
func clock(k event.Kind, sign time.Duration) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		t.lasts(k, r)
		d := []time.Duration{4 * time.Second, 40 * time.Second, 10 * time.Minute, time.Hour, 24 * time.Hour, 720 * time.Hour}[r.IntN(6)]
		if k == event.OurClock && r.IntN(2) == 0 {
			d = -d
		}
		t.faults.size[k] = sign * d
	}
}

func node(do func(*sim.World, string, string) error) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		all := t.w.Nodes()
		_ = do(t.w, all[r.IntN(len(all))].Name, "chaos")
	}
}

func nodeUp(t *trial, r *rand.Rand) {
	all := t.w.Nodes()
	_ = t.w.Resume(all[r.IntN(len(all))].Name)
}

func closeQueue(t *trial, r *rand.Rand) {
	t.lasts(event.Queue, r)
	t.faults.roll[event.Queue] = 1
	_ = t.w.SetPartition(site.Managed, false)
}

// restarted starts slurmctld again: what was written in the last seconds is
// forgotten, and for a while nobody answers.
func restarted(t *trial, r *rand.Rand) {
	t.faults.boot = t.w.Now().Truncate(time.Second)
	if r.IntN(2) == 0 {
		t.faults.until[event.PollFails] = max(t.faults.until[event.PollFails], t.cycle+1+r.IntN(2))
	}
	if r.IntN(2) == 0 {
		t.oracle.Forgets(t.w.Now().Add(-5 * time.Second))
	}
}

func kill(t *trial, r *rand.Rand) {
	p, renamed, rest := t.procs[r.IntN(len(t.procs))], r.IntN(2) == 0, r.IntN(5)
	p.arm(1+r.IntN(40), func() { p.die(renamed, rest) })
}

func stand(t *trial, r *rand.Rand) {
	p, d, over := t.procs[r.IntN(len(t.procs))], time.Duration(20+r.IntN(400))*time.Second, r.IntN(2) == 0
	p.arm(1+r.IntN(40), func() { p.freeze(d, over) })
}

func stop(t *trial, r *rand.Rand) {
	t.lasts(event.Stop, r)
	t.procs[0].arm(1+r.IntN(40), func() {
		t.stopAt = t.w.Now()
		_ = os.WriteFile(t.stopFile, nil, 0o600)
	})
}

func restored(t *trial, r *rand.Rand) {
	at := t.store.restore(r.IntN(4))
	t.trace.note("the database is as it was at %v", at.Format(time.TimeOnly))
	t.oracle.Restored(at)
}
