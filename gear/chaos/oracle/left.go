package oracle

// CheckLeftByDead: what we leave holds no job longer than a lease, with no process
// of ours alive.
func (o *Oracle) CheckLeftByDead(of ...Field) {
	for j, e := range o.waitingJobs() {
		for _, f := range of {
			m, isShort := e.stateByField[f], f == FieldBegin
			if e.hasOurValue(j, f, o.World.Now()) && (isShort || !j.IsHeld && !o.isUnknowable(m)) {
				o.addBreachOf(m.knownCause(), "dead: "+string(f)+e.inTask, j.ID,
					"a lease after our end its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatFieldRows(j.ID, f))
			}
		}
		if e.heldBy == "us" {
			o.AddBreach("dead: hold", j.ID, "it is held by us and nobody is there to release it")
		}
	}
}

// CheckLeftAfterRelease: nothing of ours stands in a job that waits and that nobody
// holds, and what people set last is what is set.
func (o *Oracle) CheckLeftAfterRelease() {
	for j, e := range o.waitingJobs() {
		for _, f := range allFields {
			m := e.stateByField[f]
			if f == FieldPriority || j.IsHeld {
				continue
			}
			if e.hasOurValue(j, f, o.World.Now()) && !o.isUnknowable(m) {
				o.addBreachOf(m.knownCause(), "released: "+string(f)+e.inTask, j.ID,
					"after release its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatFieldRows(j.ID, f))
			}
			isShown := f != FieldSiteFactor && f != FieldBegin
			if v := shownValue(j, f); isShown && v != m.ownersValue && !o.isUnknowable(m) {
				o.addBreachOf(m.knownCause(), "lost: "+string(f)+e.inTask, j.ID, "its %s is %q, its owner had set %q", f, v, m.ownersValue)
			}
		}
	}
}

// CheckAllJobsEnded reports jobs that never came to an end because of what we left. Others never
// could: they ask for what the cluster has not.
func (o *Oracle) CheckAllJobsEnded() {
	for _, j := range o.World.Jobs() {
		e := o.jobBook.entryForJob(&j)
		for _, f := range []Field{FieldBegin, FieldRequiredNodes, FieldExcludedNodes, FieldGPUs} {
			if j.IsPending() && e.hasOurValue(&j, f, o.World.Now()) {
				o.AddBreach("lost job", j.ID, "60 days later it is %s (%s), and its %s is %q of ours", j.State, j.Reason, f, e.stateByField[f].ourValue)
			}
		}
	}
}

// CheckNoUsageMissing judges whether usage is missing, once all is well again: I17.
func (o *Oracle) CheckNoUsageMissing() {
	if why := o.usageCheck.checkNotUnderRecorded(); why != "" {
		o.AddBreach("I17", 0, "%s", why)
	}
}
