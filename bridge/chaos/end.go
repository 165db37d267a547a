package chaos

import (
	"time"

	"fairbridge/bridge/chaos/oracle"
	"fairbridge/bridge/chaos/site"
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
	t.sleep(max(t.Site.Lease, 5*time.Minute) + 2*time.Minute)
	t.oracle.LeftByTheDead(oracle.Begin, oracle.Required, oracle.Excluded)
	t.sleep(push.OrderAge)
	t.oracle.LeftByTheDead(oracle.Site, oracle.Nice)
	t.recover()
	if t.oracle.Broken() {
		return
	}
	t.sleep(4 * site.Interval)
	if err := t.giveBack(); err != nil {
		t.oracle.Breach("release", 0, "%v", err)
	}
	t.oracle.LeftAfterRelease()
	t.alone()
}

// sleep lets time pass.
func (t *trial) sleep(d time.Duration) {
	for end := t.w.Now().Add(d); t.w.Now().Before(end); {
		t.w.Advance(minTime(end, t.w.Now().Add(site.Interval)))
		t.tick()
		t.oracle.Refresh()
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
		calm := p.loop != nil && p.Good > 12 && t.store.Open() == 0 && !p.InDoubt
		t.w.Advance(t.w.Now().Add(site.Interval))
		t.tick()
		t.oracle.AfterCycle()
		if calm && i > 15 {
			break
		}
		if i == 149 {
			t.oracle.Breach("recovery", 0, "an hour after all is well %d outcomes are open, and the daemon is in doubt: %t", t.store.Open(), p.InDoubt)
		}
	}
	t.oracle.Missing()
	p.loop = nil
}

// alone lets Slurm bring all jobs to their end.
func (t *trial) alone() {
	for _, id := range t.oracle.Held() {
		_ = t.w.Release(site.Operator, id)
	}
	if !t.w.Run(t.w.Now().Add(60 * 24 * time.Hour)) {
		t.oracle.Unended()
	}
	done := map[int64]int{}
	for _, s := range t.w.Segments() {
		if s.State == "COMPLETED" {
			if done[s.Job]++; done[s.Job] > 1 {
				t.oracle.Breach("twice", s.Job, "it completed %d times", done[s.Job])
			}
		}
	}
}
