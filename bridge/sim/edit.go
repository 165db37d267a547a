package sim

import (
	"time"

	"fairbridge/bridge/sim/inventory"
)

// edit is an update under way: one user's, of one job.
type edit struct {
	*daemon
	users users
	nodes *inventory.Inventory
	prio  *priorities
	runs  *runs

	by  string
	job *job
	Update
}

// apply changes the job field by field, up to the first that is refused.
func (e *edit) apply() error {
	j := e.job
	switch {
	case e.SLUID != "" && e.SLUID != j.sluid:
		return problem(NoSuchJob, "Invalid job id specified")
	case !e.users.may(e.by, j):
		return problem(InvalidUser, "Invalid user id")
	case j.done():
		return problem(Finished, "Job/step already completing or completed")
	}
	for _, change := range []func() error{
		e.queue, e.limit, e.begin, e.nodeLists, e.gpus, e.texts, e.site, e.order, e.nice,
	} {
		if err := change(); err != nil {
			e.logf("update %d by %s refused: %v", j.id, e.by, err)
			return err
		}
	}
	e.prio.weigh(j)
	e.logf("update %d by %s priority=%d nice=%d site=%d begin=%s hold=%s", j.id, e.by, j.priority, j.spec.Nice, j.site, stamp(j.begin), j.hold)
	e.touch()
	e.wake()
	return nil
}

func (e *edit) operator() bool { return e.users.operator(e.by) }

func (e *edit) denied() error { return problem(AccessDenied, "Access/permission denied") }

// waiting refuses what a job that has started does not take.
func (e *edit) waiting() error {
	if e.job.state != pending {
		return problem(NotPending, "Job is no longer pending execution")
	}
	return nil
}

func (e *edit) queue() error {
	if e.QOS == nil && e.Partition == nil && e.Account == nil && e.Features == nil {
		return nil
	}
	if err := e.waiting(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.Partition != nil {
		if !e.nodes.HasPartitions(*e.Partition) {
			return problem(BadPartition, "Invalid partition name specified")
		}
		s.Partition = *e.Partition
	}
	if e.QOS != nil {
		if _, known := e.cfg.Weights.QOS[*e.QOS]; known || *e.QOS == "normal" {
			s.QOS = *e.QOS // an unknown one changes nothing, and nothing is said
		}
	}
	set(&s.Account, e.Account)
	set(&s.Features, e.Features)
	return nil
}

func (e *edit) limit() error {
	if e.Limit == nil {
		return nil
	}
	if *e.Limit > e.job.spec.Limit && !e.operator() {
		return e.denied()
	}
	e.job.spec.Limit = *e.Limit
	if e.job.state == running {
		e.runs.retime(e.job)
	}
	return nil
}

func (e *edit) begin() error {
	if e.Begin == nil || e.Begin.IsZero() {
		return nil
	}
	if err := e.waiting(); err != nil {
		return err
	}
	at := e.Begin.UTC().Truncate(time.Second)
	if at.Before(e.sec()) {
		at = e.sec()
	}
	e.job.begin = at
	if e.cfg.EnforceLimits && at.After(e.Now()) {
		e.job.accrue = at
	}
	return nil
}

// nodeLists replaces the node lists of a pending job.
func (e *edit) nodeLists() error {
	for _, list := range []*[]string{e.Required, e.Excluded} {
		if list != nil && (e.job.state != pending || !e.nodes.HasNodes(*list)) {
			return problem(BadNode, "Invalid node name specified")
		}
	}
	set(&e.job.spec.Required, e.Required)
	set(&e.job.spec.Excluded, e.Excluded)
	return nil
}

// gpus gives a pending job another number of GPUs, counted the way the job asked
// for them. More than any node has is accepted and never runs.
func (e *edit) gpus() error {
	if e.GPUs == nil && e.GPUType == nil {
		return nil
	}
	if err := e.waiting(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.GPUs != nil {
		switch {
		case *e.GPUs < 0:
			return problem(BadGres, "Invalid generic resource (gres) specification")
		case s.GPUs > 0:
			s.GPUs = *e.GPUs
		default:
			s.GPUsPerNode = *e.GPUs
		}
	}
	set(&s.GPUType, e.GPUType)
	return nil
}

func (e *edit) texts() error {
	if e.Admin != nil && !e.users.root(e.by) {
		return e.denied()
	}
	j := e.job
	set(&j.admin, e.Admin)
	set(&j.spec.Comment, e.Comment)
	set(&j.spec.Extra, e.Extra)
	if !e.cfg.old() {
		set(&j.spec.Name, e.Name)
	}
	if e.Requeue != nil && (*e.Requeue || !e.cfg.old()) {
		j.spec.NoRequeue = !*e.Requeue
	}
	if e.NoRequeue {
		j.spec.NoRequeue = true
	}
	return nil
}

func (e *edit) site() error {
	if e.SiteFactor != nil && !e.operator() {
		return e.denied()
	}
	set(&e.job.site, e.SiteFactor)
	return nil
}

// order is priority and hold.
func (e *edit) order() error {
	p := e.Priority
	if e.Hold != nil && (p == nil || e.cfg.old()) { // both: later releases take the priority, 22.05 the hold
		p = Ptr(int64(0))
		if !*e.Hold {
			p = Ptr(Infinite)
		}
	}
	if p == nil {
		return nil
	}
	switch *p {
	case 0:
		e.hold()
		return nil
	case Infinite, Infinite - 1:
		return e.release()
	}
	return e.direct(*p)
}

// hold sets the priority to 0. An Operator's hold is an admin's, also over a
// hold of the owner.
func (e *edit) hold() {
	j := e.job
	if e.by != j.spec.User || j.hold == heldByAdmin {
		j.hold = heldByAdmin
	} else {
		j.hold = heldByUser
	}
	j.reason = j.hold
	j.direct = false // a later release gives multifactor back
}

// release ends any hold an Operator finds, and the owner's own. On a job that
// is not held it gives a direct priority back and wipes nice.
func (e *edit) release() error {
	j := e.job
	if j.hold == heldByAdmin && !e.operator() {
		return e.denied()
	}
	if !j.held() {
		j.spec.Nice = 0
	}
	j.hold, j.direct = "", false
	if j.state == pending {
		j.reason = "None"
	}
	e.prio.accrue(j)
	return nil
}

// direct sets a priority that multifactor leaves alone, and wipes nice.
func (e *edit) direct(p int64) error {
	j := e.job
	if j.held() {
		return problem(JobHeld, "Job is in held state")
	}
	if !e.operator() {
		if p > j.priority {
			return e.denied()
		}
		if e.cfg.old() { // says no and does it
			j.priority, j.direct = p, true
		}
		return problem(PriorityFixed, "Job priority can not be changed persistently")
	}
	j.priority, j.direct, j.spec.Nice = min(max(p, 1), highest), true, 0
	return nil
}

// nice comes last: a release wipes only the nice of before. A direct priority
// takes none, and nothing is said.
func (e *edit) nice() error {
	switch {
	case e.Nice == nil:
	case *e.Nice < 0 && !e.operator():
		return e.denied()
	case !e.job.direct:
		e.job.spec.Nice = *e.Nice
	}
	return nil
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}
