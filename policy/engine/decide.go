package engine

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
)

// queue counts who waits, for the reasons given to those behind.
type queue struct {
	waiting  int
	accounts map[string]int // how many of them, by account
	most     string         // the account with most
}

// enqueue counts one more who waits, for the reasons of those behind.
func (w *walk) enqueue(e *Entry) {
	q := &w.queue
	if q.waiting++; w.Terse {
		return
	}
	q.accounts[e.Account]++
	if n, m := q.accounts[e.Account], q.accounts[q.most]; n > m {
		q.most = e.Account
	}
}

// ahead says who is before the next one in the queue.
func (q *queue) ahead() string {
	switch q.waiting {
	case 0:
		return "nobody waits ahead"
	case 1:
		return "1 job of account " + q.most + " waits ahead"
	}
	return fmt.Sprintf("%d jobs wait ahead, %d of them of account %s", q.waiting, q.accounts[q.most], q.most)
}

func (e *Entry) decide(v policy.Verb, why string) {
	e.verdict.verb, e.verdict.why = v, why
}

// because gives the reason, unless nobody wants to read it.
func (w *walk) because(why func() string) string {
	if w.Terse {
		return ""
	}
	return why()
}

// wait queues the job behind those that wait already.
func (w *walk) wait(e *Entry, why string) {
	e.decide(policy.Wait, w.because(func() string {
		return fmt.Sprintf("waits as %s: %s; %s", ordinal(w.queue.waiting+1), why, w.queue.ahead())
	}))
	w.enqueue(e)
}

// start starts the job on devices that were free.
func (w *walk) start(e *Entry, on policy.Alloc) {
	why := "they are free"
	if w.queue.waiting > 0 && !w.Terse {
		why = fmt.Sprintf("they are free, and it delays nobody who may not be delayed; %s", w.queue.ahead())
	}
	w.begin(e, on, why)
}

func (w *walk) begin(e *Entry, on policy.Alloc, why string) {
	w.setPlanned(e, on)
	if w.insist != nil && !e.Active() {
		w.insist[e.Ask.GPUs.Type] -= e.Want
	}
	if e.Active() {
		e.decide(policy.Move, w.because(func() string { return fmt.Sprintf("moves from %v to %v: %s", e.On, on, why) }))
		return
	}
	e.decide(policy.Start, w.because(func() string { return fmt.Sprintf("starts on %v: %s", on, why) }))
}

// pack starts the job beside running ones, if a Packer finds it a neighbour.
func (w *walk) pack(e *Entry) bool {
	if w.p.Pack == nil || !e.Shareable {
		return false
	}
	on, err := w.p.Pack.Pack(w.Round, e)
	if err != nil || len(on) == 0 || w.judged(e, on) != nil {
		return false
	}
	a := e.Gang()
	w.Free.Overdraw(on, a.CPUs, a.MemMB) // overdrawn, as pool.New will find it
	w.begin(e, on, "its owner and those of the jobs there accept a neighbour")
	return true
}

// plan writes the verdicts down.
func (w *walk) plan() *policy.Plan {
	plan := &policy.Plan{Basis: w.Seq, Policy: w.p.Name, Decisions: make([]policy.Decision, 0, len(w.line))}
	for _, e := range w.Entries {
		plan.Decisions = append(plan.Decisions, e.decision(w.Terse))
	}
	if byJob := func(a, b policy.Decision) int { return cmp.Compare(a.Job, b.Job) }; !slices.IsSortedFunc(plan.Decisions, byJob) {
		slices.SortFunc(plan.Decisions, byJob)
	}
	return plan
}

func (e *Entry) decision(terse bool) policy.Decision {
	v := &e.verdict
	d := policy.Decision{Job: e.ID, Verb: v.verb, Rank: v.place + 1, GPUs: cmp.Or(e.Want, e.Size()), For: v.given, Why: v.why}
	switch v.verb {
	case policy.Keep:
		d.On, d.GPUs = e.On, e.Size()
	case policy.Stop:
		d.GPUs = e.Size()
	case policy.Start, policy.Resize, policy.Move:
		d.On = e.Planned
	}
	if v.verb == policy.Start && e.Unplaced != "" {
		d.On = nil // the place found is a guess, only to count what is left
	}
	if terse {
		return d
	}
	if v.verb == policy.Start && e.Unplaced != "" {
		d.Why = fmt.Sprintf("starts where Slurm finds %v for it: %s", e.Gang().Describe(), e.Unplaced)
	}
	if v.aged {
		d.Why += "; it waited so long that nobody may delay it any more"
	}
	if e.Note != "" {
		d.Why += "; " + e.Note
	}
	return d
}

// ordinal prints 1st, 2nd, 3rd, 4th, …
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
