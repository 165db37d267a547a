package oracle

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
)

// Step is a cycle that a daemon lived through, as it told it.
type Step struct {
	Doubts         []bridge.Doubt
	IsStandby      bool // another led
	EditCount      int  // that it meant to send
	Plans          []PartitionPlan
	MayDecideAgain bool // the policy is not spoilt: the same snapshots are decided again
}

// PartitionPlan is what a cycle made of a partition.
type PartitionPlan struct {
	Partition  string
	IsToBeSent bool // it was to be sent
	Snapshot   *policy.Snapshot
	GatedPlan  *policy.Plan // to be sent; nil: none
	PolicyPlan *policy.Plan // the policy's own, before the gate; nil: none
}

// stepRules judge a step of a daemon that lived through it.
var stepRules = []func(*Oracle, *Daemon, *Step){checkNoWriteInDoubt, checkNoColdWrite, checkChurn, checkDeterminism, checkNothingForgotten}

// CheckStep judges a step as a whole.
func (o *Oracle) CheckStep(d *Daemon, s *Step) {
	d.WasInDoubt = len(s.Doubts) > 0
	for _, x := range s.Doubts {
		o.verdict.DoubtCountByCause[string(x.Cause)]++
	}
	for _, check := range stepRules {
		check(o, d, s)
	}
	d.countGoodPoll(s)
	if len(s.Plans) > 0 {
		d.settledNodesByJob = d.viewedNodesByJob
	}
}

// Doubt means do less: what failed before the pushing ends it. I20.
func checkNoWriteInDoubt(o *Oracle, d *Daemon, r *Step) {
	for _, x := range r.Doubts {
		if early := x.Cause == bridge.CauseFailedPoll || x.Cause == bridge.CauseHistory || x.Cause == bridge.CauseStopFile && r.EditCount == 0; early && d.writeCount > 0 {
			o.AddBreach("I20", 0, "%s wrote %d times in a cycle in doubt: %v", d.Name, d.writeCount, x.Err)
		}
	}
	if r.IsStandby && d.writeCount > 0 {
		o.AddBreach("I14", 0, "%s wrote while standing by", d.Name)
	}
}

// After a start, and after a poll, the database or leadership failed, two good
// polls come before anything is written.
func checkNoColdWrite(o *Oracle, d *Daemon, _ *Step) {
	if d.writeCount > 0 && d.GoodPollCount < 2 {
		o.AddBreach("warm", 0, "%s wrote after %d good polls", d.Name, d.GoodPollCount)
	}
}

// countGoodPoll counts good polls.
func (d *Daemon) countGoodPoll(r *Step) {
	for _, x := range r.Doubts {
		switch x.Cause {
		case bridge.CauseFailedPoll, bridge.CauseLeaderUnknown:
			d.GoodPollCount = 0
			return
		case bridge.CauseHistory, bridge.CauseJournal: // with plans it was read: a database that was put back is waited for, poll after poll
			if len(r.Plans) == 0 {
				d.GoodPollCount = 0
				return
			}
		}
	}
	if r.IsStandby { // its earlier views are too old to compare with
		d.GoodPollCount, d.hasSeenTrueView, d.maxSeenNodeCount, d.seenJobs = 0, false, 0, map[int64]bool{}
		return
	}
	d.GoodPollCount++
}

// I11: at most so many of the pending jobs change band per interval.
func checkChurn(o *Oracle, d *Daemon, r *Step) {
	for i := range r.Plans {
		t := &r.Plans[i]
		if !t.IsToBeSent || t.GatedPlan == nil || t.Snapshot == nil {
			continue
		}
		now := jobsInOrder(t, true)
		if old, ok := d.lastOrderByPartition[t.Partition]; ok {
			n, of := countBandChanges(old, now)
			if most := max(o.Site.Budgets.ChurnFloor, int(o.Site.Budgets.ChurnPercent*float64(of)/100)); n > most {
				o.AddBreach("I11", 0, "%d of %d waiting jobs changed band, at most %d", n, of, most)
			}
		}
		d.lastOrderByPartition[t.Partition] = jobsInOrder(t, false)
	}
}

// jobsInOrder are the plan's jobs, or those that wait, in its order.
func jobsInOrder(t *PartitionPlan, waiting bool) []policy.JobID {
	rank := map[policy.JobID]int{}
	var ids []policy.JobID
	for i := range t.GatedPlan.Decisions {
		d := &t.GatedPlan.Decisions[i]
		if j := t.Snapshot.Job(d.Job); j != nil && (!waiting || !j.HoldsGPUs()) {
			ids = append(ids, d.Job)
			rank[d.Job] = d.Rank
		}
	}
	slices.SortFunc(ids, func(a, b policy.JobID) int { return rank[a] - rank[b] })
	return ids
}

// countBandChanges counts the jobs in both orders whose band differs. Bands double in width
// from the head.
func countBandChanges(old, now []policy.JobID) (n, of int) {
	keep := func(list, in []policy.JobID) map[policy.JobID]int {
		at := map[policy.JobID]int{}
		for _, id := range list {
			if slices.Contains(in, id) {
				at[id] = bits.Len(uint(len(at) + 1))
			}
		}
		return at
	}
	was, is := keep(old, now), keep(now, old)
	for id := range was {
		if was[id] != is[id] {
			n++
		}
	}
	return n, len(was)
}

// I19: the same snapshot and configuration give the same plan, byte for byte.
func checkDeterminism(o *Oracle, d *Daemon, r *Step) {
	if !r.MayDecideAgain {
		return
	}
	for i := range r.Plans {
		t := &r.Plans[i]
		if t.PolicyPlan == nil {
			continue
		}
		fresh, err := o.NewPolicy()
		if err != nil {
			continue
		}
		again, err := fresh.Decide(t.Snapshot)
		a, _ := json.Marshal(t.PolicyPlan)
		b, _ := json.Marshal(again)
		if err != nil || string(a) != string(b) {
			o.AddBreach("I19", 0, "the same snapshot gave two plans: %s and %s (%v)", a, b, err)
		}
	}
}

// Absence is not proof, and what stands is not forgotten: every value of ours that
// Slurm has, has a row in the ledger that is not given up.
func checkNothingForgotten(o *Oracle, d *Daemon, r *Step) {
	if len(r.Plans) == 0 {
		return // the ledger was not settled
	}
	live := o.ledger.liveFields()
	for j, e := range o.waitingJobs() {
		for _, f := range allFields {
			m, at := e.stateByField[f], jobField{j.ID, f}
			if f == FieldPriority || !e.hasOurValue(j, f, o.World.Now()) || live[at] || o.isUnknowable(m) {
				continue
			}
			o.addBreachOf(m.knownCause(), "forgot"+e.inTask, j.ID,
				"its %s is still %q of ours (owner's %q), and no row of the ledger says so: %s", f, m.ourValue, m.ownersValue, o.ledger.formatFieldRows(j.ID, f))
		}
	}
}

// CheckCycle judges what stands between two cycles.
func (o *Oracle) CheckCycle() {
	for j, e := range o.waitingJobs() {
		if why := holdProblem(e, j); why != "" {
			o.AddBreach("hold", j.ID, "%s", why)
		}
		if m := e.stateByField[FieldBegin]; m.isOursStanding && m.ourValue != m.ownersValue && j.EligibleTime.After(o.World.Now()) {
			e.leasedTime += site.CycleInterval
		}
	}
	o.RefreshJobBook()
	o.checkNeighbours()
	if why := o.usageCheck.checkNotOverRecorded(); why != "" {
		o.addBreachOf(o.usageCheck.cause, "I18", 0, "%s", why)
	}
}

// Holds are people's: none is broken, and none is ours.
func holdProblem(e *jobEntry, j *slurm.Job) string {
	switch {
	case j.IsHeld && e.heldBy == "" && j.Restarts == 0:
		return fmt.Sprintf("it is held (%s), and nobody holds it", j.Reason)
	case !j.IsHeld && (e.heldBy == "owner" || e.heldBy == "admin"):
		return fmt.Sprintf("the hold of its %s was broken", e.heldBy)
	}
	return ""
}
