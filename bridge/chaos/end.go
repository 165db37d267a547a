package chaos

import (
	"time"

	"fairbridge/bridge/chaos/oracle"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/push"
)

// checkEnd looks at what is left: when our processes are dead, when one is well again,
// after a release, and when Slurm has run all jobs alone.
func (t *trial) checkEnd() {
	t.trace.addLine("the end: all is well, and our processes are dead")
	t.endAllFaults()
	for _, p := range t.procs {
		p.loop, p.restCycles, p.armed = nil, 0, nil
	}
	t.passTime(max(t.Site.Lease, 5*time.Minute) + 2*time.Minute)
	t.oracle.CheckLeftByDead(oracle.Begin, oracle.Required, oracle.Excluded)
	t.passTime(push.MinLeaderlessTimeForOrder)
	t.oracle.CheckLeftByDead(oracle.Site, oracle.Nice)
	t.waitForRecovery()
	if t.oracle.Broken() {
		return
	}
	t.passTime(4 * site.Interval)
	if err := t.runRelease(); err != nil {
		t.oracle.Breach("release", 0, "%v", err)
	}
	t.oracle.CheckLeftAfterRelease()
	t.runSlurmAlone()
}

// passTime lets time pass.
func (t *trial) passTime(d time.Duration) {
	for end := t.world.Now().Add(d); t.world.Now().Before(end); {
		t.world.Advance(earlier(end, t.world.Now().Add(site.Interval)))
		t.runTimer()
		t.oracle.RefreshBook()
	}
}

// waitForRecovery starts one daemon and waits until it is itself again: no doubt, nothing
// open.
func (t *trial) waitForRecovery() {
	p := t.procs[0]
	t.procs = t.procs[:1]
	for i := range 150 {
		t.cycle++
		p.step()
		calm := p.loop != nil && p.GoodPolls > 12 && t.store.OpenIntentCount() == 0 && !p.InDoubt
		t.world.Advance(t.world.Now().Add(site.Interval))
		t.runTimer()
		t.oracle.CheckCycle()
		if calm && i > 15 {
			break
		}
		if i == 149 {
			t.oracle.Breach("recovery", 0, "an hour after all is well %d outcomes are open, and the daemon is in doubt: %t", t.store.OpenIntentCount(), p.InDoubt)
		}
	}
	t.oracle.CheckNoneMissing()
	p.loop = nil
}

// runSlurmAlone lets Slurm bring all jobs to their end.
func (t *trial) runSlurmAlone() {
	for _, id := range t.oracle.HeldJobs() {
		_ = t.world.Release(site.Operator, id)
	}
	if !t.world.RunUntilIdle(t.world.Now().Add(60 * 24 * time.Hour)) {
		t.oracle.CheckAllEnded()
	}
	done := map[int64]int{}
	for _, s := range t.world.EndedRuns() {
		if s.EndState == "COMPLETED" {
			if done[s.JobID]++; done[s.JobID] > 1 {
				t.oracle.Breach("twice", s.JobID, "it completed %d times", done[s.JobID])
			}
		}
	}
}
