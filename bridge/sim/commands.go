package sim

import (
	"time"

	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/slurm"
)

// jobCommands is how users change jobs: whether they may, and what comes of it.
type jobCommands struct {
	*daemon
	users      users
	nodes      *inventory.Inventory
	jobs       *jobTable
	prio       *priorities
	runs       *lifecycle
	records    *records
	accounting *accounting
}

// Write is one call that changed a job or tried to, as slurmctld's own log
// would tell it.
type Write struct {
	At     time.Time
	By     string // the user; "" is the cluster itself
	Job    int64
	Action string    // update, requeue or cancel
	Update Update    // of an update
	Before slurm.Job // the job as it was
	Err    error     // why it was refused, perhaps after some fields were changed
}

// audit tells Config.Audit of a call, once it is over.
func (d *jobCommands) audit(by, do string, j *job, u Update, call func() error) error {
	if d.cfg.Audit == nil {
		return call()
	}
	a := Write{At: d.Now(), By: by, Job: j.id, Action: do, Update: u, Before: d.records.showJob(j)}
	a.Err = call()
	d.cfg.Audit(a)
	return a.Err
}

// Update changes a job as the user by. It addresses the record with the id:
// for an array, the tasks that are not split off.
func (d *jobCommands) Update(by string, id int64, u Update) error {
	j, err := d.jobs.job(id)
	if err != nil {
		return err
	}
	e := jobUpdate{daemon: d.daemon, users: d.users, nodes: d.nodes, prio: d.prio, runs: d.runs, by: by, job: j, Update: u}
	return d.audit(by, "update", j, u, e.apply)
}

// Hold holds a job as an update with hold:true does.
func (d *jobCommands) Hold(by string, id int64) error {
	return d.Update(by, id, Update{Hold: Ptr(true)})
}

// Release releases a job as an update with hold:false does.
func (d *jobCommands) Release(by string, id int64) error {
	return d.Update(by, id, Update{Hold: Ptr(false)})
}

// Requeue stops running jobs and queues them again. The address is a job id
// ("123"; that of an array means every task), a task ("123_4") or the SLUID of
// a run. With incomplete set, jobs that are not running are left alone without
// a word; without it a pending job is refused and a finished one runs again.
func (d *jobCommands) Requeue(by, address string, incomplete bool) error {
	list, err := d.jobs.find(address)
	if err != nil {
		return err
	}
	var first error
	for _, j := range list {
		err := d.audit(by, "requeue", j, Update{}, func() error { return d.requeue(by, j, incomplete) })
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (d *jobCommands) requeue(by string, j *job, incomplete bool) error {
	switch {
	case !d.users.mayChange(by, j):
		return newError(ErrnoAccessDenied, "Access/permission denied")
	case j.spec.NoRequeue:
		return newError(ErrnoDisabled, "Requested operation is presently disabled")
	case j.completing && j.endState == "":
		return nil // already on its way
	case j.state != running && incomplete:
		return nil
	case j.state == pending:
		return newError(ErrnoJobPending, "Job is pending execution")
	}
	d.runs.requeue(j)
	return nil
}

// HoldRequeued holds the jobs that a requeue has just put back, as its Hold
// flag does: a hold of the user's kind. Others are left alone.
func (d *jobCommands) HoldRequeued(address string) error {
	list, err := d.jobs.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		if j.completing && j.endState == "" {
			j.hold, j.directPriority = heldByUser, false
			d.noteChange()
		}
	}
	return nil
}

// Cancel ends a job, and all tasks of an array.
func (d *jobCommands) Cancel(by, address string) error {
	list, err := d.jobs.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		err := d.audit(by, "cancel", j, Update{}, func() error {
			if !d.users.mayChange(by, j) {
				return newError(ErrnoAccessDenied, "Access/permission denied")
			}
			d.runs.cancel(j)
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
	list, err := d.jobs.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		switch {
		case !d.users.mayChange(by, j):
			return newError(ErrnoAccessDenied, "Access/permission denied")
		case j.state == running && !j.completing:
			d.accounting.signals = append(d.accounting.signals, DeliveredSignal{Job: j.id, SLUID: j.sluid, Signal: s, At: d.Now()})
			d.logf("signal %d %s", j.id, s)
		}
	}
	return nil
}

// IsOperator reports whether the user may change the jobs of others; "" is the
// cluster itself.
func (d *jobCommands) IsOperator(user string) bool { return d.users.isOperator(user) }
