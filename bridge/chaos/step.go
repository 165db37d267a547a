package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// stepRules judge a step of a daemon that lived through it.
var stepRules = []func(*oracle, *proc, *cycle.Report){
	(*oracle).wroteInDoubt, (*oracle).wroteCold, (*oracle).churned, (*oracle).undetermined, (*oracle).forgot,
}

// Doubt means do less: what failed before the pushing ends it. I20.
func (o *oracle) wroteInDoubt(p *proc, r *cycle.Report) {
	for _, d := range r.Doubts {
		if early := d.Cause == "slurm" || d.Cause == "history" || d.Cause == "stop" && len(r.Intents) == 0; early && p.wrote > 0 {
			o.breach("I20", 0, "%s wrote %d times in a cycle in doubt: %v", p.name, p.wrote, d.Err)
		}
	}
	if r.Result == cycle.Standby && p.wrote > 0 {
		o.breach("I14", 0, "%s wrote while standing by", p.name)
	}
}

// After a start, and after a poll, the database or leadership failed, two good
// polls come before anything is written.
func (o *oracle) wroteCold(p *proc, _ *cycle.Report) {
	if p.wrote > 0 && p.good < 2 {
		o.breach("warm", 0, "%s wrote after %d good polls", p.name, p.good)
	}
}

// looked counts good polls.
func (p *proc) looked(r *cycle.Report) {
	for _, d := range r.Doubts {
		switch d.Cause {
		case "slurm", "leader":
			p.good = 0
			return
		case "history", "journal": // with evaluations it was read: a database that was put back is waited for, poll after poll
			if len(r.Evaluations) == 0 {
				p.good = 0
				return
			}
		}
	}
	if r.Result == cycle.Standby {
		p.good = 0
		return
	}
	p.good++
}

// I11: at most so many of the pending jobs change band per interval.
func (o *oracle) churned(p *proc, r *cycle.Report) {
	for i := range r.Evaluations {
		t := &r.Evaluations[i]
		if !t.Send || t.Plan == nil || t.Snapshot == nil {
			continue
		}
		now := inOrder(t, true)
		if old, ok := p.order[t.Partition.Name]; ok {
			n, of := moved(old, now)
			if most := max(o.Gate.ChurnFloor, int(o.Gate.ChurnPercent*float64(of)/100)); n > most {
				o.breach("I11", 0, "%d of %d waiting jobs changed band, at most %d", n, of, most)
			}
		}
		p.order = map[string][]policy.JobID{t.Partition.Name: inOrder(t, false)}
	}
}

// inOrder are the plan's jobs, or those that wait, in its order.
func inOrder(t *cycle.Evaluation, waiting bool) []policy.JobID {
	rank := map[policy.JobID]int{}
	var ids []policy.JobID
	for i := range t.Plan.Decisions {
		d := &t.Plan.Decisions[i]
		if j := t.Snapshot.Job(d.Job); j != nil && (!waiting || !j.Active()) {
			ids = append(ids, d.Job)
			rank[d.Job] = d.Rank
		}
	}
	slices.SortFunc(ids, func(a, b policy.JobID) int { return rank[a] - rank[b] })
	return ids
}

// moved counts the jobs in both orders whose band differs. Bands double in width
// from the head.
func moved(old, now []policy.JobID) (n, of int) {
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
func (o *oracle) undetermined(p *proc, r *cycle.Report) {
	if o.cycle%16 != 7 || o.weather.spoils(o.cycle) {
		return
	}
	for i := range r.Evaluations {
		t := &r.Evaluations[i]
		if t.Own == nil {
			continue
		}
		fresh, err := o.decider()
		if err != nil {
			continue
		}
		again, err := fresh.Decide(t.Snapshot)
		a, _ := json.Marshal(t.Own)
		b, _ := json.Marshal(again)
		if err != nil || string(a) != string(b) {
			o.breach("I19", 0, "the same snapshot gave two plans: %s and %s (%v)", a, b, err)
		}
	}
}

// spoils reports whether the policy is made to fail.
func (w *weather) spoils(cycle int) bool {
	return w.is(Panic, cycle) || w.is(Error, cycle) || w.is(Flap, cycle) || w.is(Wild, cycle) || w.is(Wrong, cycle)
}

// Absence is not proof, and what stands is not forgotten: every value of ours that
// Slurm has, has a row in the ledger that is not given up.
func (o *oracle) forgot(p *proc, r *cycle.Report) {
	if len(r.Evaluations) == 0 {
		return // the ledger was not settled
	}
	live := o.liveRows()
	for _, id := range o.ids() {
		j := o.truthOf(id)
		if j == nil || !j.Pending() || o.tardy[id] {
			continue
		}
		e, name := o.book.of(j), "forgot"
		if e.split {
			name = "forgot in a task"
		}
		for f, m := range e.marks {
			if f == Priority || !o.burdens(e, j, f) || live[fieldOf{id, f}] || m.lost {
				continue
			}
			o.breach(unsure(name, m), id, "its %s is still %q of ours (owner's %q), and no row of the ledger says so: %s", f, m.ours, m.owner, o.story(id, f))
		}
	}
}

// liveRows are the fields for which the ledger says that a value of ours may stand.
func (o *oracle) liveRows() map[fieldOf]bool {
	live := map[fieldOf]bool{}
	all, _ := o.store.Intents(context.Background(), cluster, o.w.Now(), o.w.Now().Add(-30*time.Hour))
	for i := range all {
		in := &all[i]
		if in.State == bridge.Observed || in.State.Open() {
			live[fieldOf{in.Edit.Run.Job, fieldOfKind(in.Edit.Kind)}] = true
		}
	}
	return live
}

// story is what the ledger has of a field.
func (o *oracle) story(id int64, f Field) string {
	var b strings.Builder
	all, _ := o.store.Intents(context.Background(), cluster, o.w.Now(), o.w.Now().Add(-30*time.Hour))
	for i := range all {
		if in := &all[i]; in.Edit.Run.Job == id && fieldOfKind(in.Edit.Kind) == f {
			fmt.Fprintf(&b, "%v %s %s; ", in.Edit, in.State, in.Error)
		}
	}
	return b.String()
}

// ids are the jobs of the book, sorted.
func (o *oracle) ids() []int64 {
	ids := make([]int64, 0, len(o.book.jobs))
	for id := range o.book.jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// burdens reports whether a value of ours stands in the field of a pending job and
// is not what its owner wants.
func (o *oracle) burdens(e *entry, j *slurm.Job, f Field) bool {
	m := e.marks[f]
	switch {
	case !m.stands || m.ours == m.owner:
		return false
	case f == Begin:
		return j.Eligible.After(o.w.Now())
	case f == Site:
		return m.ours != "0"
	}
	return true
}

// afterCycle judges what stands between two cycles.
func (o *oracle) afterCycle() {
	for _, id := range o.ids() {
		j := o.truthOf(id)
		if j == nil {
			continue
		}
		e := o.book.of(j)
		if !j.Pending() {
			continue
		}
		o.holds(e, j)
		if m := e.marks[Begin]; m.stands && m.ours != m.owner && j.Eligible.After(o.w.Now()) {
			e.leased += interval
		}
	}
	for _, j := range o.w.Jobs() {
		o.book.of(&j)
	}
	o.usage()
}

// Holds are people's: none is broken, and none is ours.
func (o *oracle) holds(e *entry, j *slurm.Job) {
	switch {
	case j.Held && e.hold == "" && j.Restarts == 0:
		o.breach("hold", j.ID, "it is held (%s), and nobody holds it", j.Reason)
	case !j.Held && (e.hold == "owner" || e.hold == "admin"):
		o.breach("hold", j.ID, "the hold of its %s was broken", e.hold)
	}
}
