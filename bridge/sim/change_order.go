package sim

// changeOrder applies site factor, priority or hold, and nice last: a release
// wipes only the nice of before.
func (w *World) changeOrder(by string, j *job, u Update) error {
	for _, change := range []func(string, *job, Update) error{w.changeSite, w.changePriority, w.changeNice} {
		if err := change(by, j, u); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) changeNice(by string, j *job, u Update) error {
	if u.Nice != nil {
		if *u.Nice < 0 && !w.operator(by) {
			return problem(AccessDenied, "Access/permission denied")
		}
		if j.direct {
			return nil // a direct priority takes no nice, and nothing is said
		}
		j.spec.Nice = *u.Nice
	}
	return nil
}

func (w *World) changeSite(by string, j *job, u Update) error {
	if u.SiteFactor != nil {
		if !w.operator(by) {
			return problem(AccessDenied, "Access/permission denied")
		}
		j.site = *u.SiteFactor
	}
	return nil
}

func (w *World) changePriority(by string, j *job, u Update) error {
	p := u.Priority
	if u.Hold != nil && (p == nil || w.cfg.old()) { // both: later releases take the priority, 22.05 the hold
		p = Ptr(int64(0))
		if !*u.Hold {
			p = Ptr(Infinite)
		}
	}
	if p == nil {
		return nil
	}
	switch *p {
	case 0:
		return w.hold(by, j)
	case Infinite, Infinite - 1:
		return w.release(by, j)
	}
	return w.direct(by, j, *p)
}

// hold sets the priority to 0. An Operator's hold is an admin's, also over a
// hold of the owner.
func (w *World) hold(by string, j *job) error {
	if by != j.spec.User || j.hold == "JobHeldAdmin" {
		j.hold = "JobHeldAdmin"
	} else {
		j.hold = "JobHeldUser"
	}
	j.reason = j.hold
	j.direct = false // a later release gives multifactor back
	return nil
}

// release ends any hold an Operator finds, and the owner's own. On a job that
// is not held it gives a direct priority back and wipes nice.
func (w *World) release(by string, j *job) error {
	if j.hold == "JobHeldAdmin" && !w.operator(by) {
		return problem(AccessDenied, "Access/permission denied")
	}
	if !j.held() {
		j.spec.Nice = 0
	}
	j.hold, j.direct = "", false
	if j.state == pending {
		j.reason = "None"
	}
	w.accrue(j)
	return nil
}

// direct sets a priority that multifactor leaves alone, and wipes nice.
func (w *World) direct(by string, j *job, p int64) error {
	if j.held() {
		return problem(JobHeld, "Job is in held state")
	}
	if !w.operator(by) {
		if p > j.priority {
			return problem(AccessDenied, "Access/permission denied")
		}
		if w.cfg.old() { // says no and does it
			j.priority, j.direct = p, true
		}
		return problem(PriorityFixed, "Job priority can not be changed persistently")
	}
	j.priority, j.direct, j.spec.Nice = min(max(p, 1), highest), true, 0
	return nil
}

// Hold holds a job as an update with hold:true does.
func (w *World) Hold(by string, id int64) error {
	return w.Update(by, id, Update{Hold: Ptr(true)})
}

// Release releases a job as an update with hold:false does.
func (w *World) Release(by string, id int64) error {
	return w.Update(by, id, Update{Hold: Ptr(false)})
}

// Cancel ends a job, and all tasks of an array.
func (w *World) Cancel(by, address string) error {
	list, err := w.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		if err := w.audited(by, "cancel", j, Update{}, func() error { return w.cancel(by, j) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) cancel(by string, j *job) error {
	switch {
	case !w.may(by, j):
		return problem(AccessDenied, "Access/permission denied")
	case j.state == running:
		w.stop(j, "CANCELLED", false)
	case j.completing && j.ended == "":
		j.state, j.ended = "CANCELLED", "CANCELLED"
	case j.state == pending:
		w.close(j, "CANCELLED")
	}
	return nil
}
