package chaos

import (
	"time"

	"fairbridge/bridge/push"
)

// end looks at what is left: when our processes are dead, when one is well again,
// after a release, and when Slurm has run all jobs alone.
func (t *trial) end() {
	t.trace.note("the end: all is well, and our processes are dead")
	t.heal()
	for _, p := range t.procs {
		p.loop, p.rest, p.armed = nil, 0, nil
	}
	t.sleep(max(t.Lease, 5*time.Minute) + 2*time.Minute)
	t.oracle.leftByTheDead(Begin, Required, Excluded)
	t.sleep(push.OrderAge)
	t.oracle.leftByTheDead(Site, Nice)
	t.recover()
	if len(t.oracle.breaches) > 0 {
		return
	}
	t.sleep(4 * interval)
	if err := t.giveBack(); err != nil {
		t.oracle.breach("release", 0, "%v", err)
	}
	t.oracle.leftAfterRelease()
	t.alone()
}

// sleep lets time pass.
func (t *trial) sleep(d time.Duration) {
	for end := t.w.Now().Add(d); t.w.Now().Before(end); {
		t.w.Advance(minTime(end, t.w.Now().Add(interval)))
		t.tick()
		for _, j := range t.w.Jobs() {
			t.oracle.book.of(&j)
		}
	}
}

// leftByTheDead: what we leave holds no job longer than a lease, with no process
// of ours alive.
func (o *oracle) leftByTheDead(fields ...Field) {
	for _, id := range o.ids() {
		j := o.truthOf(id)
		if j == nil || !j.Pending() {
			continue
		}
		e, task := o.book.of(j), ""
		if e.split {
			task = " of a task"
		}
		for _, f := range fields {
			if m := e.marks[f]; o.burdens(e, j, f) && (f == Begin || !m.lost && !o.tardy[id] && !j.Held) {
				o.breach(unsure("dead: "+string(f)+task, m), id, "a lease after our end its %s is still %q, its owner's is %q: %s", f, m.ours, m.owner, o.story(id, f))
			}
		}
		if e.hold == "us" {
			o.breach("dead: hold", id, "it is held by us and nobody is there to release it")
		}
	}
}

// recover starts one daemon and waits until it is itself again: no doubt, nothing
// open.
func (t *trial) recover() {
	p := t.procs[0]
	t.procs = t.procs[:1]
	for i := range 150 {
		t.cycle++
		p.step()
		calm := p.loop != nil && p.good > 12 && t.store.Open() == 0 && !p.doubts
		t.w.Advance(t.w.Now().Add(interval))
		t.tick()
		t.oracle.afterCycle()
		if calm && i > 15 {
			break
		}
		if i == 149 {
			t.oracle.breach("recovery", 0, "an hour after all is well %d outcomes are open, and the daemon is in doubt: %t", t.store.Open(), p.doubts)
		}
	}
	t.oracle.wholeUsage()
	p.loop = nil
}

// leftAfterRelease: nothing of ours stands in a job that waits and that nobody
// holds, and what people set last is what is set.
func (o *oracle) leftAfterRelease() {
	for _, id := range o.ids() {
		j := o.truthOf(id)
		if j == nil || !j.Pending() || j.Held || o.tardy[id] {
			continue
		}
		e, task := o.book.of(j), ""
		if e.split {
			task = " of a task"
		}
		for f, m := range e.marks {
			if m.lost || f == Priority {
				continue
			}
			if o.burdens(e, j, f) {
				o.breach(unsure("released: "+string(f)+task, m), id, "after release its %s is still %q, its owner's is %q: %s", f, m.ours, m.owner, o.story(id, f))
			}
			if v := shown(j, f); f != Site && f != Begin && v != m.owner {
				o.breach(unsure("lost: "+string(f)+task, m), id, "its %s is %q, its owner had set %q", f, v, m.owner)
			}
		}
	}
}

// alone lets Slurm bring all jobs to their end.
func (t *trial) alone() {
	for _, id := range t.oracle.ids() {
		if t.oracle.book.jobs[id].hold != "" {
			_ = t.w.Release(operator, id)
		}
	}
	if !t.w.Run(t.w.Now().Add(60 * 24 * time.Hour)) {
		t.oracle.unended()
	}
	done := map[int64]int{}
	for _, s := range t.w.Segments() {
		if s.State == "COMPLETED" {
			if done[s.Job]++; done[s.Job] > 1 {
				t.oracle.breach("twice", s.Job, "it completed %d times", done[s.Job])
			}
		}
	}
}

// unended are jobs that never came to an end because of what we left. Others never
// could: they ask for what the cluster has not.
func (o *oracle) unended() {
	for _, j := range o.w.Jobs() {
		e := o.book.of(&j)
		for _, f := range []Field{Begin, Required, Excluded} {
			if j.Pending() && o.burdens(e, &j, f) {
				o.breach("lost job", j.ID, "60 days later it is %s (%s), and its %s is %q of ours", j.State, j.Reason, f, e.marks[f].ours)
			}
		}
	}
}
