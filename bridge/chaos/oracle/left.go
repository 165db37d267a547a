package oracle

// CheckLeftByDead: what we leave holds no job longer than a lease, with no process
// of ours alive.
func (o *Oracle) CheckLeftByDead(of ...Field) {
	for _, id := range o.book.ids() {
		j := o.actualJob(id)
		if j == nil || !j.IsPending() {
			continue
		}
		e, task := o.book.entryOf(j), ""
		if e.split {
			task = " of a task"
		}
		for _, f := range of {
			if m := e.marks[f]; e.hasOurValue(j, f, o.World.Now()) && (f == Begin || !m.lost && !o.late[id] && !j.IsHeld) {
				o.Breach(uncertainRule("dead: "+string(f)+task, m), id, "a lease after our end its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatRows(id, f))
			}
		}
		if e.hold == "us" {
			o.Breach("dead: hold", id, "it is held by us and nobody is there to release it")
		}
	}
}

// CheckLeftAfterRelease: nothing of ours stands in a job that waits and that nobody
// holds, and what people set last is what is set.
func (o *Oracle) CheckLeftAfterRelease() {
	for _, id := range o.book.ids() {
		j := o.actualJob(id)
		if j == nil || !j.IsPending() || j.IsHeld || o.late[id] {
			continue
		}
		e, task := o.book.entryOf(j), ""
		if e.split {
			task = " of a task"
		}
		for _, f := range fields {
			m := e.marks[f]
			if m.lost || f == Priority {
				continue
			}
			if e.hasOurValue(j, f, o.World.Now()) {
				o.Breach(uncertainRule("released: "+string(f)+task, m), id, "after release its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatRows(id, f))
			}
			if v := shownValue(j, f); f != Site && f != Begin && v != m.ownersValue {
				o.Breach(uncertainRule("lost: "+string(f)+task, m), id, "its %s is %q, its owner had set %q", f, v, m.ownersValue)
			}
		}
	}
}

// CheckAllEnded are jobs that never came to an end because of what we left. Others never
// could: they ask for what the cluster has not.
func (o *Oracle) CheckAllEnded() {
	for _, j := range o.World.Jobs() {
		e := o.book.entryOf(&j)
		for _, f := range []Field{Begin, Required, Excluded} {
			if j.IsPending() && e.hasOurValue(&j, f, o.World.Now()) {
				o.Breach("lost job", j.ID, "60 days later it is %s (%s), and its %s is %q of ours", j.State, j.Reason, f, e.marks[f].ourValue)
			}
		}
	}
}

// CheckNoneMissing judges whether usage is missing, once all is well again: I17.
func (o *Oracle) CheckNoneMissing() {
	if why := o.usage.tooLittle(); why != "" {
		o.Breach("I17", 0, "%s", why)
	}
}
