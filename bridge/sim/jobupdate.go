package sim

import (
	"time"

	"fairbridge/bridge/sim/inventory"
)

// jobUpdate is an update under way: one user's, of one job.
type jobUpdate struct {
	*daemon
	users users
	nodes *inventory.Inventory
	prio  *priorities
	runs  *lifecycle

	by  string
	job *job
	Update
}

// apply changes the job field by field, up to the first that is refused.
func (e *jobUpdate) apply() error {
	j := e.job
	switch {
	case e.SLUID != "" && e.SLUID != j.sluid:
		return newError(ErrnoNoSuchJob, "Invalid job id specified")
	case !e.users.mayChange(e.by, j):
		return newError(ErrnoInvalidUser, "Invalid user id")
	case j.isDone():
		return newError(ErrnoFinished, "Job/step already completing or completed")
	}
	for _, change := range []func() error{
		e.applyQueue, e.applyLimit, e.applyBegin, e.applyNodeLists, e.applyGPUs, e.applyTexts, e.applySiteFactor, e.applyOrder, e.applyNice,
	} {
		if err := change(); err != nil {
			e.logf("update %d by %s refused: %v", j.id, e.by, err)
			return err
		}
	}
	e.prio.setPriority(j)
	e.logf("update %d by %s priority=%d nice=%d site=%d begin=%s hold=%s", j.id, e.by, j.priority, j.spec.Nice, j.siteFactor, formatTime(j.begin), j.hold)
	e.noteChange()
	e.wake()
	return nil
}

func (e *jobUpdate) isOperator() bool { return e.users.isOperator(e.by) }

func (e *jobUpdate) accessError() error {
	return newError(ErrnoAccessDenied, "Access/permission denied")
}

// checkWaiting refuses what a job that has started does not take.
func (e *jobUpdate) checkWaiting() error {
	if e.job.state != pending {
		return newError(ErrnoNotPending, "Job is no longer pending execution")
	}
	return nil
}

func (e *jobUpdate) applyQueue() error {
	if e.QOS == nil && e.Partition == nil && e.Account == nil && e.Features == nil {
		return nil
	}
	if err := e.checkWaiting(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.Partition != nil {
		if !e.nodes.HasPartitions(*e.Partition) {
			return newError(ErrnoBadPartition, "Invalid partition name specified")
		}
		s.Partition = *e.Partition
	}
	if e.QOS != nil {
		if _, known := e.cfg.Weights.QOS[*e.QOS]; known || *e.QOS == "normal" {
			s.QOS = *e.QOS // an unknown one changes nothing, and nothing is said
		}
	}
	setIfGiven(&s.Account, e.Account)
	setIfGiven(&s.Features, e.Features)
	return nil
}

func (e *jobUpdate) applyLimit() error {
	if e.Limit == nil {
		return nil
	}
	if *e.Limit > e.job.spec.Limit && !e.isOperator() {
		return e.accessError()
	}
	e.job.spec.Limit = *e.Limit
	if e.job.state == running {
		e.runs.scheduleEnd(e.job)
	}
	return nil
}

func (e *jobUpdate) applyBegin() error {
	if e.Begin == nil || e.Begin.IsZero() {
		return nil
	}
	if err := e.checkWaiting(); err != nil {
		return err
	}
	at := e.Begin.UTC().Truncate(time.Second)
	if at.Before(e.nowSeconds()) {
		at = e.nowSeconds()
	}
	e.job.begin = at
	if e.cfg.EnforceLimits && at.After(e.Now()) {
		e.job.accrue = at
	}
	return nil
}

// applyNodeLists replaces the node lists of a pending job.
func (e *jobUpdate) applyNodeLists() error {
	for _, list := range []*[]string{e.Required, e.Excluded} {
		if list != nil && (e.job.state != pending || !e.nodes.HasNodes(*list)) {
			return newError(ErrnoBadNode, "Invalid node name specified")
		}
	}
	setIfGiven(&e.job.spec.Required, e.Required)
	setIfGiven(&e.job.spec.Excluded, e.Excluded)
	return nil
}

// applyGPUs gives a pending job another number of GPUs, counted the way the job asked
// for them. More than any node has is accepted and never runs.
func (e *jobUpdate) applyGPUs() error {
	if e.GPUs == nil && e.GPUType == nil {
		return nil
	}
	if err := e.checkWaiting(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.GPUs != nil {
		switch {
		case *e.GPUs < 0:
			return newError(ErrnoBadGres, "Invalid generic resource (gres) specification")
		case s.GPUs > 0:
			s.GPUs = *e.GPUs
		default:
			s.GPUsPerNode = *e.GPUs
		}
	}
	setIfGiven(&s.GPUType, e.GPUType)
	return nil
}

func (e *jobUpdate) applyTexts() error {
	if e.Admin != nil && !e.users.isRoot(e.by) {
		return e.accessError()
	}
	j := e.job
	setIfGiven(&j.adminComment, e.Admin)
	setIfGiven(&j.spec.Comment, e.Comment)
	setIfGiven(&j.spec.Extra, e.Extra)
	if !e.cfg.is2205() {
		setIfGiven(&j.spec.Name, e.Name)
	}
	if e.Requeue != nil && (*e.Requeue || !e.cfg.is2205()) {
		j.spec.NoRequeue = !*e.Requeue
	}
	if e.NoRequeue {
		j.spec.NoRequeue = true
	}
	return nil
}

func (e *jobUpdate) applySiteFactor() error {
	if e.SiteFactor != nil && !e.isOperator() {
		return e.accessError()
	}
	setIfGiven(&e.job.siteFactor, e.SiteFactor)
	return nil
}

// applyOrder is priority and hold.
func (e *jobUpdate) applyOrder() error {
	p := e.Priority
	if e.Hold != nil && (p == nil || e.cfg.is2205()) { // both: later releases take the priority, 22.05 the hold
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
		e.holdJob()
		return nil
	case Infinite, Infinite - 1:
		return e.releaseJob()
	}
	return e.setDirectPriority(*p)
}

// holdJob sets the priority to 0. An Operator's hold is an admin's, also over a
// hold of the owner.
func (e *jobUpdate) holdJob() {
	j := e.job
	if e.by != j.spec.User || j.hold == heldByAdmin {
		j.hold = heldByAdmin
	} else {
		j.hold = heldByUser
	}
	j.reason = j.hold
	j.directPriority = false // a later release gives multifactor back
}

// releaseJob ends any hold an Operator finds, and the owner's own. On a job that
// is not held it gives a direct priority back and wipes nice.
func (e *jobUpdate) releaseJob() error {
	j := e.job
	if j.hold == heldByAdmin && !e.isOperator() {
		return e.accessError()
	}
	if !j.isHeld() {
		j.spec.Nice = 0
	}
	j.hold, j.directPriority = "", false
	if j.state == pending {
		j.reason = "None"
	}
	e.prio.startAge(j)
	return nil
}

// setDirectPriority sets a priority that multifactor leaves alone, and wipes nice.
func (e *jobUpdate) setDirectPriority(p int64) error {
	j := e.job
	if j.isHeld() {
		return newError(ErrnoJobHeld, "Job is in held state")
	}
	if !e.isOperator() {
		if p > j.priority {
			return e.accessError()
		}
		if e.cfg.is2205() { // says no and does it
			j.priority, j.directPriority = p, true
		}
		return newError(ErrnoPriorityFixed, "Job priority can not be changed persistently")
	}
	j.priority, j.directPriority, j.spec.Nice = min(max(p, 1), maxPriority), true, 0
	return nil
}

// applyNice comes last: a release wipes only the nice of before. A direct priority
// takes none, and nothing is said.
func (e *jobUpdate) applyNice() error {
	switch {
	case e.Nice == nil:
	case *e.Nice < 0 && !e.isOperator():
		return e.accessError()
	case !e.job.directPriority:
		e.job.spec.Nice = *e.Nice
	}
	return nil
}

func setIfGiven[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}
