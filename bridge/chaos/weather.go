package chaos

import (
	"math/rand/v2"
	"os"
	"time"

	"fairbridge/bridge/sim"
)

// weather is what goes wrong at the moment.
type weather struct {
	until map[Kind]int           // the cycle at which a fault is over
	size  map[Kind]time.Duration // of clocks
	roll  map[Kind]uint64        // which job, which user, how many nodes
	next  []Kind                 // faults that strike the next writes, one each
	once  []Kind                 // faults that strike the next call of their kind
	late  time.Duration          // how late writes come
	boot  time.Time              // when slurmctld started; zero: with the world
}

// is reports whether a fault lasts.
func (w *weather) is(k Kind, cycle int) bool { return w.until[k] > cycle }

// skew is how far the clock is off.
func (w *weather) skew(k Kind) time.Duration { return w.size[k] }

// take reports whether the fault strikes this call, which it then has.
func (w *weather) take(k Kind) bool {
	for i, x := range w.once {
		if x == k {
			w.once = append(w.once[:i:i], w.once[i+1:]...)
			return true
		}
	}
	return false
}

// strike is what happens to the next write; "" is nothing.
func (w *weather) strike() Kind {
	if len(w.next) == 0 {
		return ""
	}
	k := w.next[0]
	w.next = w.next[1:]
	return k
}

// clear ends what is over, and keeps a backup now and then.
func (w *weather) clear(t *trial) {
	for _, k := range []Kind{ClockAhead, ClockBehind, OurClock} {
		if !w.is(k, t.cycle) {
			delete(w.size, k)
		}
	}
	if !w.is(Stop, t.cycle) {
		_ = os.Remove(t.stopFile)
	}
	if !w.is(Queue, t.cycle) && w.roll[Queue] > 0 {
		w.roll[Queue] = 0
		_ = t.w.SetPartition(managed, true)
	}
	if t.cycle%10 == 0 {
		t.store.backUp()
	}
}

// heal ends everything.
func (t *trial) heal() {
	boot := t.weather.boot
	t.weather = weather{until: map[Kind]int{}, size: map[Kind]time.Duration{}, roll: map[Kind]uint64{}, boot: boot}
	_ = os.Remove(t.stopFile)
	_ = t.w.SetPartition(managed, true)
	for _, x := range t.w.Reservations() {
		t.w.Unreserve(x.Name)
	}
	for _, n := range t.w.Nodes() {
		_ = t.w.Resume(n.Name)
	}
}

// happen lets an event happen.
func (t *trial) happen(e Event) {
	t.trace.note("%v", e)
	r := e.dice()
	if f, ok := deeds[e.Kind]; ok {
		t.sometime(r, func() { f(t, r) })
		return
	}
	if f, ok := mishaps[e.Kind]; ok {
		f(t, r)
		return
	}
	t.lasts(e.Kind, r)
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
func (t *trial) lasts(k Kind, r *rand.Rand) {
	n := 1 + r.IntN(4)
	if r.IntN(4) == 0 {
		n += r.IntN(12)
	}
	t.weather.until[k] = t.cycle + n
	t.weather.roll[k] = r.Uint64()
}

// mishaps are the faults that are more than a state that lasts.
var mishaps = map[Kind]func(*trial, *rand.Rand){
	Submit:      (*trial).submit,
	Unreachable: strikes(Unreachable), LostBefore: strikes(LostBefore), LostAfter: strikes(LostAfter),
	Late: strikes(Late), Broken: strikes(Broken), Busy: strikes(Busy),
	ClockAhead: clock(ClockAhead, 1), ClockBehind: clock(ClockBehind, -1), OurClock: clock(OurClock, 1),
	Restart: (*trial).restarted, NodeDown: node((*sim.World).Down), NodeDrain: node((*sim.World).Drain), NodeUp: (*trial).nodeUp,
	Queue: (*trial).closeQueue,
	Kill:  (*trial).kill, Freeze: (*trial).stand, Stop: (*trial).stop, Release: (*trial).released,
	CommitLost: func(t *trial, _ *rand.Rand) { t.weather.once = append(t.weather.once, CommitLost) },
	Restored:   (*trial).restored,
}

// strikes lets the next few writes suffer.
func strikes(k Kind) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		for range 1 + r.IntN(4) {
			t.weather.next = append(t.weather.next, k)
		}
		if k == Late {
			t.weather.late = time.Duration(1+r.IntN(230)) * time.Second
		}
	}
}

// clock puts a clock forward or back for some cycles: by seconds, minutes, hours
// or a month.
func clock(k Kind, sign time.Duration) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		t.lasts(k, r)
		d := []time.Duration{4 * time.Second, 40 * time.Second, 10 * time.Minute, time.Hour, 24 * time.Hour, 720 * time.Hour}[r.IntN(6)]
		if k == OurClock && r.IntN(2) == 0 {
			d = -d
		}
		t.weather.size[k] = sign * d
	}
}

func node(do func(*sim.World, string, string) error) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		all := t.w.Nodes()
		_ = do(t.w, all[r.IntN(len(all))].Name, "chaos")
	}
}

func (t *trial) nodeUp(r *rand.Rand) {
	all := t.w.Nodes()
	_ = t.w.Resume(all[r.IntN(len(all))].Name)
}

func (t *trial) closeQueue(r *rand.Rand) {
	t.lasts(Queue, r)
	t.weather.roll[Queue] = 1
	_ = t.w.SetPartition(managed, false)
}

// restarted starts slurmctld again: what was written in the last seconds is
// forgotten, and for a while nobody answers.
func (t *trial) restarted(r *rand.Rand) {
	t.weather.boot = t.w.Now().Truncate(time.Second)
	if r.IntN(2) == 0 {
		t.weather.until[PollFails] = max(t.weather.until[PollFails], t.cycle+1+r.IntN(2))
	}
	if r.IntN(2) == 0 {
		t.oracle.forgets(t.w.Now().Add(-5 * time.Second))
	}
}

func (t *trial) kill(r *rand.Rand) {
	p, renamed, rest := t.procs[r.IntN(len(t.procs))], r.IntN(2) == 0, r.IntN(5)
	p.arm(1+r.IntN(40), func() { p.die(renamed, rest) })
}

func (t *trial) stand(r *rand.Rand) {
	p, d, over := t.procs[r.IntN(len(t.procs))], time.Duration(20+r.IntN(400))*time.Second, r.IntN(2) == 0
	p.arm(1+r.IntN(40), func() { p.freeze(d, over) })
}

func (t *trial) stop(r *rand.Rand) {
	t.lasts(Stop, r)
	t.procs[0].arm(1+r.IntN(40), func() {
		t.stopAt = t.w.Now()
		_ = os.WriteFile(t.stopFile, nil, 0o600)
	})
}

func (t *trial) restored(r *rand.Rand) {
	at := t.store.restore(r.IntN(4))
	t.trace.note("the database is as it was at %v", at.Format(time.TimeOnly))
	t.oracle.restored(at)
}
