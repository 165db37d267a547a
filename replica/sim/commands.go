package sim

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/users"
)

// jobCommands is how users change jobs: whether they may, and what comes of it.
type jobCommands struct {
	*daemon
	users      users.List
	inventory  *inventory.Inventory
	jobs       *jobTable
	priorities *priorities
	lifecycle  *lifecycle
	records    *jobRecords
	accounting *accounting
}

// AuditEntry is one call that changed a job or tried to, as slurmctld's own log
// would tell it.
type AuditEntry struct {
	At         time.Time
	ActingUser string // the user; "" is the cluster itself
	JobID      int64
	Action     string    // update, requeue or cancel
	Update     JobUpdate // of an update
	JobBefore  slurm.Job // the job as it was
	Err        error     // why it was refused, perhaps after some fields were changed
}

// runAudited tells Config.Audit of a call, once it is over.
func (d *jobCommands) runAudited(by, do string, j *job, u JobUpdate, call func() error) error {
	if d.config.Audit == nil {
		return call()
	}
	a := AuditEntry{At: d.Now(), ActingUser: by, JobID: j.id, Action: do, Update: u, JobBefore: d.records.showJob(j)}
	a.Err = call()
	d.config.Audit(a)
	return a.Err
}

// JobUpdate changes a job as the user by. It addresses the record with the id:
// for an array, the tasks that are not split off.
func (d *jobCommands) Update(by string, id int64, u JobUpdate) error {
	j, err := d.jobs.jobByID(id)
	if err != nil {
		return err
	}
	e := jobUpdater{daemon: d.daemon, users: d.users, inventory: d.inventory, priorities: d.priorities, lifecycle: d.lifecycle, actingUser: by, job: j, JobUpdate: u}
	return d.runAudited(by, "update", j, u, e.apply)
}

// Hold holds a job as an update with hold:true does.
func (d *jobCommands) Hold(by string, id int64) error {
	return d.Update(by, id, JobUpdate{Hold: Ptr(true)})
}

// Release releases a job as an update with hold:false does.
func (d *jobCommands) Release(by string, id int64) error {
	return d.Update(by, id, JobUpdate{Hold: Ptr(false)})
}

// Requeue stops running jobs and queues them again. The address is a job id
// ("123"; that of an array means every task), a task ("123_4") or the SLUID of
// a run. With incomplete set, jobs that are not running are left alone without
// a word; without it a pending job is refused and a finished one runs again.
func (d *jobCommands) Requeue(by, address string, incomplete bool) error {
	list, err := d.jobs.findByAddress(address)
	if err != nil {
		return err
	}
	var first error
	for _, j := range list {
		err := d.runAudited(by, "requeue", j, JobUpdate{}, func() error { return d.requeue(by, j, incomplete) })
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (d *jobCommands) requeue(by string, j *job, incomplete bool) error {
	switch {
	case !d.users.MayChange(by, j.spec.User):
		return newSlurmError(ErrnoAccessDenied, "Access/permission denied")
	case j.spec.NoRequeue:
		return newSlurmError(ErrnoDisabled, "Requested operation is presently disabled")
	case j.isCompleting && j.endState == "":
		return nil // already on its way
	case j.state != stateRunning && incomplete:
		return nil
	case j.state == statePending:
		return newSlurmError(ErrnoJobPending, "Job is pending execution")
	}
	d.lifecycle.requeue(j)
	return nil
}

// HoldRequeued holds the jobs that a requeue has just put back, as its Hold
// flag does: a hold of the user's kind. Others are left alone.
func (d *jobCommands) HoldRequeued(address string) error {
	list, err := d.jobs.findByAddress(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		if j.isCompleting && j.endState == "" {
			j.holdReason, j.hasDirectPriority = heldByUser, false
			d.noteChange()
		}
	}
	return nil
}

// Cancel ends a job, and all tasks of an array.
func (d *jobCommands) Cancel(by, address string) error {
	list, err := d.jobs.findByAddress(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		err := d.runAudited(by, "cancel", j, JobUpdate{}, func() error {
			if !d.users.MayChange(by, j.spec.User) {
				return newSlurmError(ErrnoAccessDenied, "Access/permission denied")
			}
			d.lifecycle.cancel(j)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Signal sends a signal to the batch scripts at an address (see Requeue). A job
// that does not run gets none, and nothing is said about it, as in Slurm. What a
// script does about it is not simulated.
func (d *jobCommands) Signal(by, address string, s slurm.Signal) error {
	list, err := d.jobs.findByAddress(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		switch {
		case !d.users.MayChange(by, j.spec.User):
			return newSlurmError(ErrnoAccessDenied, "Access/permission denied")
		case j.state == stateRunning && !j.isCompleting:
			d.accounting.deliveredSignals = append(d.accounting.deliveredSignals, DeliveredSignal{JobID: j.id, SLUID: j.sluid, Signal: s, At: d.Now()})
			d.logf("signal %d %s", j.id, s)
		}
	}
	return nil
}

// IsOperator reports whether the user may change the jobs of others; "" is the
// cluster itself.
func (d *jobCommands) IsOperator(user string) bool { return d.users.IsOperator(user) }

// JobUpdate is what one update call asks for; nil leaves a field as it is. The
// fields are applied in the order below and the first refusal ends the update:
// what came before it stays applied, as in Slurm.
type JobUpdate struct {
	SLUID         string // only if the job is still this run; "": always
	QOS           *string
	Partition     *string
	Account       *string
	Features      *string
	TimeLimit     *time.Duration
	BeginTime     *time.Time // the past counts as now
	RequiredNodes *[]string  // none: clear
	ExcludedNodes *[]string  // none: clear
	GPUs          *int       // of the kind the job asked for: per node, or in all
	GPUType       *string    // with GPUs and none: any type
	Shards        *int       // of one GPU, in place of the GPU that the job asks for per node
	GPUsArePerJob *bool      // the form in which GPUs come; nil: that in which the job asked
	MayRequeue    *bool
	NoRequeue     bool // 22.05's way to forbid requeues
	Comment       *string
	Extra         *string
	AdminComment  *string // admin_comment
	Name          *string
	SiteFactor    *int64 // offset, 0 neutral
	Priority      *int64 // 0 holds, InfinitePriority releases
	Hold          *bool
	Nice          *int64
}

// InfinitePriority is the priority that means "release" in an update.
const InfinitePriority int64 = 0xffffffff

// Ptr returns a pointer to v, for the fields of an Update.
func Ptr[T any](v T) *T { return &v }
