package sim

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Write is one call that changed a job or tried to, as slurmctld's own log
// would tell it.
type Write struct {
	At     time.Time
	By     string // the user; "" is the cluster itself
	Job    int64
	Do     string    // update, requeue or cancel
	Asked  Update    // of an update
	Before slurm.Job // the job as it was
	Err    error     // why it was refused, perhaps after some fields were changed
}

// audited tells Config.Audit of a call, once it is over.
func (w *World) audited(by, do string, j *job, u Update, call func() error) error {
	if w.cfg.Audit == nil {
		return call()
	}
	a := Write{At: w.Now(), By: by, Job: j.id, Do: do, Asked: u, Before: w.show(j)}
	a.Err = call()
	w.cfg.Audit(a)
	return a.Err
}

// SetPartition opens a partition or closes it, as an administrator does. While
// it is down its jobs queue and none starts.
func (w *World) SetPartition(name string, up bool) error {
	p := w.part(name)
	if p == nil {
		return problem(BadPartition, "Invalid partition name specified")
	}
	p.Down = !up
	w.logf("partition %s up=%t", name, up)
	w.wake()
	return nil
}
