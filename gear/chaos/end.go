package chaos

import (
	"time"

	"fairbridge/bridge/push"
	"fairbridge/gear/chaos/oracle"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
)

// checkAfterEnd looks at what is left: when our processes are dead, when one is well again,
// after a release, and when Slurm has run all jobs alone.
func (t *trial) checkAfterEnd() {
	t.trace.addLine("the end: all is well, and our processes are dead")
	t.endAllFaults()
	for _, p := range t.daemons {
		p.loop, p.cyclesUntilRestart, p.pendingActions = nil, 0, nil
	}
	t.passTime(max(t.Site.LeaseLength, 5*time.Minute) + 2*time.Minute)
	t.oracle.CheckLeftByDead(oracle.FieldBegin, oracle.FieldRequiredNodes, oracle.FieldExcludedNodes, oracle.FieldGPUs)
	t.passTime(push.MinLeaderlessTimeForOrder)
	t.oracle.CheckLeftByDead(oracle.FieldSiteFactor, oracle.FieldNice, oracle.FieldAdminComment)
	t.waitForRecovery()
	if t.oracle.HasBreach() {
		return
	}
	t.passTime(4 * site.CycleInterval)
	if err := t.runRelease(); err != nil {
		t.oracle.AddBreach("release", 0, "%v", err)
	}
	t.oracle.CheckLeftAfterRelease()
	t.runSlurmAlone()
}

// passTime lets time pass.
func (t *trial) passTime(d time.Duration) {
	for end := t.world.Now().Add(d); t.world.Now().Before(end); {
		t.world.Advance(t.world.Now().Add(min(end.Sub(t.world.Now()), site.CycleInterval)))
		t.runExpireTimer()
		t.oracle.RefreshJobBook()
	}
}

// outcomeTime is how long the outcome of an edit may be open: until the third poll after it.
const outcomeTime = 3 * site.CycleInterval

// waitForRecovery starts one daemon and waits until it is itself again: no doubt, and no outcome
// open for longer than outcomeTime. Younger ones are those of the last cycles: some policies put
// jobs in another order in each.
func (t *trial) waitForRecovery() {
	p := t.daemons[0]
	t.daemons = t.daemons[:1]
	for i := range 150 {
		t.cycle++
		p.step()
		old := t.store.OldOpenIntentCount(t.world.Now().Add(-outcomeTime))
		calm := p.loop != nil && p.GoodPollCount > 12 && old == 0 && !p.WasInDoubt
		t.world.Advance(t.world.Now().Add(site.CycleInterval))
		t.runExpireTimer()
		t.oracle.CheckCycle()
		if calm && i > 15 {
			break
		}
		if i == 149 {
			t.oracle.AddBreach("recovery", 0, "an hour after all is well %s open for more than %v, and the daemon is in doubt: %t", policy.FormatCount(old, "outcome"), outcomeTime, p.WasInDoubt)
		}
	}
	t.oracle.CheckNoUsageMissing()
	p.loop = nil
}

// runSlurmAlone lets Slurm bring all jobs to their end.
func (t *trial) runSlurmAlone() {
	for _, id := range t.oracle.HeldJobs() {
		_ = t.world.Release(site.OperatorUser, id)
	}
	if !t.world.RunUntilIdle(t.world.Now().Add(60 * 24 * time.Hour)) {
		t.oracle.CheckAllJobsEnded()
	}
	done := map[int64]int{}
	for _, s := range t.world.EndedRuns() {
		if s.EndState == "COMPLETED" {
			if done[s.JobID]++; done[s.JobID] > 1 {
				t.oracle.AddBreach("twice", s.JobID, "it completed %d times", done[s.JobID])
			}
		}
	}
}
