package writer

import (
	"context"
	"fmt"
	"strconv"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/restconn"
)

// requeueJob stops a running job and puts it back into the queue. By SLUID it
// can only hit the run that was meant; without one the job is looked at again
// first, and the Incomplete flag guards the moment in between.
func (d *Writer) requeueJob(ctx context.Context, e slurm.Edit) error {
	api := d.client.API()
	address := e.Run.SLUID
	if !api.CanRequeue || address == "" {
		j, err := d.rereadRun(ctx, e.Run)
		if err != nil {
			return err
		}
		if address, err = requeueAddress(&j, e.Array); err != nil {
			return err
		}
	}
	if err := d.guard.waitForPermission(ctx); err != nil {
		return err
	}
	if !api.CanRequeue {
		return d.commands.requeue(ctx, address)
	}
	return restconn.Post(ctx, d.client.Conn(), "/slurm/"+api.Name()+"/jobs/requeue", encodeRequeue(address))
}

// requeueAddress returns the address that means exactly this record. The id
// of an array means all its tasks, and the id of a task can be the array's.
func requeueAddress(j *slurm.Job, wanted string) (string, error) {
	address := strconv.FormatInt(j.ID, 10)
	switch {
	case !j.IsRunning():
		return "", newChangedError("job %s is %s: only a running one is requeued", j.Label(), j.State)
	case j.HetJobID != 0:
		return "", &slurm.Error{Class: slurm.ErrorBadRequest, Text: fmt.Sprintf("job %s is part of a heterogeneous job", j.Label())}
	case j.IsUnsplitArray():
		return "", &slurm.Error{Class: slurm.ErrorBadRequest, Text: fmt.Sprintf("job %s stands for several tasks of an array", j.Label())}
	case j.IsArrayTask:
		address = fmt.Sprintf("%d_%d", j.ArrayJobID, j.ArrayTaskID)
	}
	if wanted != "" && wanted != address {
		return "", newChangedError("job %d is %s, not %s", j.ID, address, wanted)
	}
	return address, nil
}

// sendWarningSignal sends a signal to the batch script of a running job, and to nothing else
// of it. It goes through scancel on every release: REST signals by DELETE, which
// kills the job when the signal or its flag is lost on the way, and before
// 24.11 it reaches the steps too. The words are constants, of which check has
// made sure; the job is looked at right before, since nothing binds a signal to
// a run.
func (d *Writer) sendWarningSignal(ctx context.Context, e slurm.Edit) error {
	j, err := d.rereadRun(ctx, e.Run)
	if err != nil {
		return err
	}
	address, err := requeueAddress(&j, e.Array)
	if err != nil {
		return err
	}
	if err := d.commands.checkScancel(); err != nil {
		return err
	}
	if err := d.guard.waitForPermission(ctx); err != nil {
		return err
	}
	return d.commands.signalBatchScript(ctx, address, e.Signal)
}
