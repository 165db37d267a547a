package oracle

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Step is a cycle that a daemon lived through, as it told it.
type Step struct {
	Doubts       []bridge.Doubt
	Standby      bool // another led
	Edits        int  // that it meant to send
	Plans        []Plan
	DecidedAgain bool // the policy is not spoilt: the same snapshots are decided again
}

// Plan is what a cycle made of a partition.
type Plan struct {
	Partition  string
	Send       bool // it was to be sent
	Snapshot   *policy.Snapshot
	Made       *policy.Plan // to be sent; nil: none
	PolicyPlan *policy.Plan // the policy's own, before the gate; nil: none
}

// stepRules judge a step of a daemon that lived through it.
var stepRules = []func(*Oracle, *Daemon, *Step){checkNoWriteInDoubt, checkNoColdWrite, checkChurn, checkDeterminism, checkNothingForgotten}

// CheckStep judges a step as a whole.
func (o *Oracle) CheckStep(d *Daemon, s *Step) {
	d.InDoubt = len(s.Doubts) > 0
	for _, x := range s.Doubts {
		o.verdict.Doubts[string(x.Cause)]++
	}
	for _, check := range stepRules {
		check(o, d, s)
	}
	d.notePoll(s)
}

// Doubt means do less: what failed before the pushing ends it. I20.
func checkNoWriteInDoubt(o *Oracle, d *Daemon, r *Step) {
	for _, x := range r.Doubts {
		if early := x.Cause == bridge.CauseFailedPoll || x.Cause == bridge.CauseHistory || x.Cause == bridge.CauseStopFile && r.Edits == 0; early && d.writeCount > 0 {
			o.Breach("I20", 0, "%s wrote %d times in a cycle in doubt: %v", d.Name, d.writeCount, x.Err)
		}
	}
	if r.Standby && d.writeCount > 0 {
		o.Breach("I14", 0, "%s wrote while standing by", d.Name)
	}
}

// After a start, and after a poll, the database or leadership failed, two good
// polls come before anything is written.
func checkNoColdWrite(o *Oracle, d *Daemon, _ *Step) {
	if d.writeCount > 0 && d.GoodPolls < 2 {
		o.Breach("warm", 0, "%s wrote after %d good polls", d.Name, d.GoodPolls)
	}
}

// notePoll counts good polls.
func (d *Daemon) notePoll(r *Step) {
	for _, x := range r.Doubts {
		switch x.Cause {
		case bridge.CauseFailedPoll, bridge.CauseLeaderUnknown:
			d.GoodPolls = 0
			return
		case bridge.CauseHistory, bridge.CauseJournal: // with plans it was read: a database that was put back is waited for, poll after poll
			if len(r.Plans) == 0 {
				d.GoodPolls = 0
				return
			}
		}
	}
	if r.Standby {
		d.GoodPolls = 0
		return
	}
	d.GoodPolls++
}

// I11: at most so many of the pending jobs change band per interval.
func checkChurn(o *Oracle, d *Daemon, r *Step) {
	for i := range r.Plans {
		t := &r.Plans[i]
		if !t.Send || t.Made == nil || t.Snapshot == nil {
			continue
		}
		now := jobsInOrder(t, true)
		if old, ok := d.order[t.Partition]; ok {
			n, of := countMoved(old, now)
			if most := max(o.Site.Gate.ChurnFloor, int(o.Site.Gate.ChurnPercent*float64(of)/100)); n > most {
				o.Breach("I11", 0, "%d of %d waiting jobs changed band, at most %d", n, of, most)
			}
		}
		d.order = map[string][]policy.JobID{t.Partition: jobsInOrder(t, false)}
	}
}

// jobsInOrder are the plan's jobs, or those that wait, in its order.
func jobsInOrder(t *Plan, waiting bool) []policy.JobID {
	rank := map[policy.JobID]int{}
	var ids []policy.JobID
	for i := range t.Made.Decisions {
		d := &t.Made.Decisions[i]
		if j := t.Snapshot.Job(d.Job); j != nil && (!waiting || !j.HoldsGPUs()) {
			ids = append(ids, d.Job)
			rank[d.Job] = d.Rank
		}
	}
	slices.SortFunc(ids, func(a, b policy.JobID) int { return rank[a] - rank[b] })
	return ids
}

// countMoved counts the jobs in both orders whose band differs. Bands double in width
// from the head.
func countMoved(old, now []policy.JobID) (n, of int) {
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
	if !r.DecidedAgain {
		return
	}
	for i := range r.Plans {
		t := &r.Plans[i]
		if t.PolicyPlan == nil {
			continue
		}
		fresh, err := o.Policy()
		if err != nil {
			continue
		}
		again, err := fresh.Decide(t.Snapshot)
		a, _ := json.Marshal(t.PolicyPlan)
		b, _ := json.Marshal(again)
		if err != nil || string(a) != string(b) {
			o.Breach("I19", 0, "the same snapshot gave two plans: %s and %s (%v)", a, b, err)
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
	for _, id := range o.book.ids() {
		j := o.actualJob(id)
		if j == nil || !j.IsPending() || o.late[id] {
			continue
		}
		e, name := o.book.entryOf(j), "forgot"
		if e.split {
			name = "forgot in a task"
		}
		for _, f := range fields {
			m := e.marks[f]
			if f == Priority || !e.hasOurValue(j, f, o.World.Now()) || live[fieldOf{id, f}] || m.lost {
				continue
			}
			o.Breach(uncertainRule(name, m), id, "its %s is still %q of ours (owner's %q), and no row of the ledger says so: %s", f, m.ourValue, m.ownersValue, o.ledger.formatRows(id, f))
		}
	}
}

// CheckCycle judges what stands between two cycles.
func (o *Oracle) CheckCycle() {
	for _, id := range o.book.ids() {
		j := o.actualJob(id)
		if j == nil {
			continue
		}
		e := o.book.entryOf(j)
		if !j.IsPending() {
			continue
		}
		if why := whyHeld(e, j); why != "" {
			o.Breach("hold", j.ID, "%s", why)
		}
		if m := e.marks[Begin]; m.stands && m.ourValue != m.ownersValue && j.Eligible.After(o.World.Now()) {
			e.leased += site.Interval
		}
	}
	o.RefreshBook()
	if why := o.usage.tooMuch(); why != "" {
		o.Breach("I18", 0, "%s", why)
	}
}

// Holds are people's: none is broken, and none is ours.
func whyHeld(e *jobEntry, j *slurm.Job) string {
	switch {
	case j.IsHeld && e.hold == "" && j.Restarts == 0:
		return fmt.Sprintf("it is held (%s), and nobody holds it", j.Reason)
	case !j.IsHeld && (e.hold == "owner" || e.hold == "admin"):
		return fmt.Sprintf("the hold of its %s was broken", e.hold)
	}
	return ""
}
