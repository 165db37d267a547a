package sim

import (
	"time"

	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/users"
)

// jobUpdater is an update under way: one user's, of one job.
type jobUpdater struct {
	*daemon
	users      users.List
	inventory  *inventory.Inventory
	priorities *priorities
	lifecycle  *lifecycle

	actingUser string
	job        *job
	JobUpdate
}

// apply changes the job field by field, up to the first that is refused.
func (e *jobUpdater) apply() error {
	j := e.job
	switch {
	case e.SLUID != "" && e.SLUID != j.sluid:
		return newSlurmError(ErrnoNoSuchJob, "Invalid job id specified")
	case !e.users.MayChange(e.actingUser, j.spec.User):
		return newSlurmError(ErrnoInvalidUser, "Invalid user id")
	case j.isDone():
		return newSlurmError(ErrnoFinished, "Job/step already completing or completed")
	}
	for _, change := range []func() error{
		e.applyQueueFields, e.applyTimeLimit, e.applyBeginTime, e.applyNodeLists, e.applyGPUs, e.applyTexts, e.applySiteFactor, e.applyPriorityAndHold, e.applyNice,
	} {
		if err := change(); err != nil {
			e.logf("update %d by %s refused: %v", j.id, e.actingUser, err)
			return err
		}
	}
	e.priorities.setPriority(j)
	e.logf("update %d by %s priority=%d nice=%d site=%d begin=%s hold=%s", j.id, e.actingUser, j.priority, j.spec.Nice, j.siteFactor, formatTime(j.beginTime), j.holdReason)
	e.noteChange()
	e.queueMainPass()
	return nil
}

func (e *jobUpdater) isOperator() bool { return e.users.IsOperator(e.actingUser) }

func (e *jobUpdater) newAccessError() error {
	return newSlurmError(ErrnoAccessDenied, "Access/permission denied")
}

// checkPending refuses what a job that has started does not take.
func (e *jobUpdater) checkPending() error {
	if e.job.state != statePending {
		return newSlurmError(ErrnoNotPending, "Job is no longer pending execution")
	}
	return nil
}

func (e *jobUpdater) applyQueueFields() error {
	if e.QOS == nil && e.Partition == nil && e.Account == nil && e.Features == nil {
		return nil
	}
	if err := e.checkPending(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.Partition != nil {
		if !e.inventory.HasPartitions(*e.Partition) {
			return newSlurmError(ErrnoBadPartition, "Invalid partition name specified")
		}
		s.Partition = *e.Partition
	}
	if e.QOS != nil {
		if _, known := e.config.PriorityWeights.PointsByQOS[*e.QOS]; known || *e.QOS == "normal" {
			s.QOS = *e.QOS // an unknown one changes nothing, and nothing is said
		}
	}
	setIfGiven(&s.Account, e.Account)
	setIfGiven(&s.Features, e.Features)
	return nil
}

func (e *jobUpdater) applyTimeLimit() error {
	if e.TimeLimit == nil {
		return nil
	}
	if *e.TimeLimit > e.job.spec.TimeLimit && !e.isOperator() {
		return e.newAccessError()
	}
	e.job.spec.TimeLimit = *e.TimeLimit
	if e.job.state == stateRunning {
		e.lifecycle.scheduleRunEnd(e.job)
	}
	return nil
}

func (e *jobUpdater) applyBeginTime() error {
	if e.BeginTime == nil || e.BeginTime.IsZero() {
		return nil
	}
	if err := e.checkPending(); err != nil {
		return err
	}
	at := e.BeginTime.UTC().Truncate(time.Second)
	if at.Before(e.nowTruncated()) {
		at = e.nowTruncated()
	}
	e.job.beginTime = at
	if e.config.EnforceLimits && at.After(e.Now()) {
		e.job.accrueTime = at
	}
	return nil
}

// applyNodeLists replaces the node lists of a pending job.
func (e *jobUpdater) applyNodeLists() error {
	for _, list := range []*[]string{e.RequiredNodes, e.ExcludedNodes} {
		if list != nil && (e.job.state != statePending || !e.inventory.HasNodes(*list)) {
			return newSlurmError(ErrnoBadNode, "Invalid node name specified")
		}
	}
	setIfGiven(&e.job.spec.RequiredNodes, e.RequiredNodes)
	setIfGiven(&e.job.spec.ExcludedNodes, e.ExcludedNodes)
	return nil
}

// applyGPUs gives a pending job another number of GPUs, counted the way the job asked
// for them; a type that is not named is lost. 22.05 refuses to lose one, and to add one. More than any node has is
// accepted and never runs.
func (e *jobUpdater) applyGPUs() error {
	if e.Shards != nil {
		return e.applyShards()
	}
	if e.GPUs == nil && e.GPUType == nil {
		return nil
	}
	if err := e.checkPending(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.GPUs == nil {
		setIfGiven(&s.GPUType, e.GPUType)
		return nil
	}
	typ := ""
	setIfGiven(&typ, e.GPUType)
	switch isPerJob := s.GPUs > 0; {
	case e.config.is2205() && (typ == "") != (s.GPUType == ""):
		return newSlurmError(ErrnoMixedGresTypes, "Invalid GRES specification (with and without type identification)")
	case *e.GPUs < 0, e.GPUsArePerJob != nil && *e.GPUsArePerJob != isPerJob:
		return newSlurmError(ErrnoBadGres, "Invalid generic resource (gres) specification")
	case isPerJob:
		s.GPUs = *e.GPUs
	default:
		s.GPUsPerNode, s.Shards = *e.GPUs, 0
	}
	s.GPUType = typ
	return nil
}

// applyShards makes the GPU that a pending job asks for per node shards of one, as releases after 22.05 do. More than a GPU has are
// accepted and never run.
func (e *jobUpdater) applyShards() error {
	if err := e.checkPending(); err != nil {
		return err
	}
	s := &e.job.spec
	if e.config.is2205() || s.GPUs > 0 || *e.Shards < 1 {
		return newSlurmError(ErrnoBadGres, "Invalid generic resource (gres) specification")
	}
	s.Shards, s.GPUsPerNode, s.GPUType = *e.Shards, 0, ""
	return nil
}

func (e *jobUpdater) applyTexts() error {
	if x := e.users.Find(e.actingUser); e.AdminComment != nil && !e.users.IsRoot(e.actingUser) && (x == nil || !x.WritesComments) {
		return e.newAccessError()
	}
	j := e.job
	setIfGiven(&j.adminComment, e.AdminComment)
	setIfGiven(&j.spec.Comment, e.Comment)
	setIfGiven(&j.spec.Extra, e.Extra)
	if !e.config.is2205() {
		setIfGiven(&j.spec.Name, e.Name)
	}
	if e.MayRequeue != nil && (*e.MayRequeue || !e.config.is2205()) {
		j.spec.NoRequeue = !*e.MayRequeue
	}
	if e.NoRequeue {
		j.spec.NoRequeue = true
	}
	return nil
}

func (e *jobUpdater) applySiteFactor() error {
	if e.SiteFactor != nil && !e.isOperator() {
		return e.newAccessError()
	}
	setIfGiven(&e.job.siteFactor, e.SiteFactor)
	return nil
}

// applyPriorityAndHold is priority and hold.
func (e *jobUpdater) applyPriorityAndHold() error {
	p := e.Priority
	if e.Hold != nil && (p == nil || e.config.is2205()) { // both: later releases take the priority, 22.05 the hold
		p = Ptr(int64(0))
		if !*e.Hold {
			p = Ptr(InfinitePriority)
		}
	}
	if p == nil {
		return nil
	}
	switch *p {
	case 0:
		e.holdJob()
		return nil
	case InfinitePriority, InfinitePriority - 1:
		return e.releaseJob()
	}
	return e.setDirectPriority(*p)
}

// holdJob sets the priority to 0. An Operator's hold is an admin's, also over a
// hold of the owner.
func (e *jobUpdater) holdJob() {
	j := e.job
	if e.actingUser != j.spec.User || j.holdReason == heldByAdmin {
		j.holdReason = heldByAdmin
	} else {
		j.holdReason = heldByUser
	}
	j.reason = j.holdReason
	j.hasDirectPriority = false // a later release gives multifactor back
}

// releaseJob ends any hold an Operator finds, and the owner's own. On a job that
// is not held it gives a direct priority back and wipes nice.
func (e *jobUpdater) releaseJob() error {
	j := e.job
	if j.holdReason == heldByAdmin && !e.isOperator() {
		return e.newAccessError()
	}
	if !j.isHeld() {
		j.spec.Nice = 0
	}
	j.holdReason, j.hasDirectPriority = "", false
	if j.state == statePending {
		j.reason = "None"
	}
	e.priorities.startAging(j)
	return nil
}

// setDirectPriority sets a priority that multifactor leaves alone, and wipes nice.
func (e *jobUpdater) setDirectPriority(p int64) error {
	j := e.job
	if j.isHeld() {
		return newSlurmError(ErrnoJobHeld, "Job is in held state")
	}
	if !e.isOperator() {
		if p > j.priority {
			return e.newAccessError()
		}
		if e.config.is2205() { // says no and does it
			j.priority, j.hasDirectPriority = p, true
		}
		return newSlurmError(ErrnoPriorityFixed, "Job priority can not be changed persistently")
	}
	j.priority, j.hasDirectPriority, j.spec.Nice = min(max(p, 1), maxPriority), true, 0
	return nil
}

// applyNice comes last: a release wipes only the nice of before. A direct priority
// takes none, and nothing is said.
func (e *jobUpdater) applyNice() error {
	switch {
	case e.Nice == nil:
	case *e.Nice < 0 && !e.isOperator():
		return e.newAccessError()
	case !e.job.hasDirectPriority:
		e.job.spec.Nice = *e.Nice
	}
	return nil
}

func setIfGiven[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}
