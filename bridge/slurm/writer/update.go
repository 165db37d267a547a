package writer

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/restconn"
)

// updateJobField writes one field of one job record.
func (d *Writer) updateJobField(ctx context.Context, run slurm.Run, f updateField) error {
	address, err := d.findJobAddress(ctx, run)
	if err != nil {
		return err
	}
	if err := d.guard.waitForPermission(ctx); err != nil {
		return err
	}
	return d.postUpdate(ctx, run, address, f)
}

// setGPUs changes the GPU count of a pending job, in the way the job itself asked
// for them, and their type where the edit names one.
func (d *Writer) setGPUs(ctx context.Context, e slurm.Edit) error {
	j, err := d.rereadRun(ctx, e.Run)
	if err != nil {
		return err
	}
	if !j.IsPending() {
		return newChangedError("job %s is %s: only a pending one can be resized", e.Run.TextOf(j.Label()), j.State)
	}
	f, err := buildGPUField(d.client.API(), &j, e.Value, e.Text)
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: err}
	}
	return d.updateJobField(ctx, e.Run, f)
}

// findJobAddress returns the address that means this record alone. From 24.11 on that
// is the record's own id. 22.05 takes the id of an array for all its tasks,
// also those that run, so there the job is looked at first.
func (d *Writer) findJobAddress(ctx context.Context, run slurm.Run) (string, error) {
	if !d.client.API().TakesPlainBodies {
		return strconv.FormatInt(run.Job, 10), nil
	}
	j, err := d.rereadRun(ctx, run)
	if err != nil {
		return "", err
	}
	return address2205(&j)
}

// address2205 returns the record's address for 22.05: of an array, the tasks
// the record stands for, which does not split them.
func address2205(j *slurm.Job) (string, error) {
	switch {
	case j.IsArrayTask && j.ID == j.ArrayJobID:
		return fmt.Sprintf("%d_%d", j.ArrayJobID, j.ArrayTaskID), nil
	case !j.IsUnsplitArray():
		return strconv.FormatInt(j.ID, 10), nil
	}
	tasks, _, _ := strings.Cut(j.ArrayTasks.Text, "%")
	if tasks == "" || strings.Trim(tasks, "0123456789,-:") != "" {
		return "", &slurm.Error{Class: slurm.ErrorBadRequest, Text: fmt.Sprintf(
			"this release shows the tasks of array %d only in part (%.40q), and would change all of them", j.ID, j.ArrayTasks.Text)}
	}
	return fmt.Sprintf("%d_%s", j.ArrayJobID, tasks), nil
}

// postUpdate sends an update that has been let through.
func (d *Writer) postUpdate(ctx context.Context, run slurm.Run, address string, f updateField) error {
	api := d.client.API()
	body, err := encodeUpdate(f, sluidToBind(run, api.BindsUpdateToRun))
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: err}
	}
	return restconn.Post(ctx, d.client.Conn(), "/slurm/"+api.Name()+"/job/"+address, body)
}

// rereadRun reads the job afresh and returns it if it is still the run meant.
func (d *Writer) rereadRun(ctx context.Context, run slurm.Run) (slurm.Job, error) {
	j, err := d.client.RereadJob(ctx, run.Job)
	if err != nil {
		return j, err
	}
	switch {
	case j.UntrustedReason != "":
		return j, newChangedError("its record cannot be read: %s", j.UntrustedReason)
	case !run.IsSameRun(j.CurrentRun()):
		return j, newChangedError("job %v is now %s", run, j.CurrentRun().TextOf(j.Label()))
	}
	return j, nil
}

func newChangedError(format string, args ...any) error {
	return &slurm.Error{Class: slurm.ErrorJobChanged, Text: fmt.Sprintf(format, args...)}
}

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

// setShards makes the one GPU that a pending job asks for by --gres so many shards of one, if the job is
// bound to the nodes of the edit at that moment: elsewhere it might get neighbours that nobody looked at.
func (d *Writer) setShards(ctx context.Context, e slurm.Edit) error {
	j, err := d.rereadRun(ctx, e.Run)
	if err != nil {
		return err
	}
	_, errs := soleGPUType(j.GresPerNode)
	isOneGPU := errs == nil && slurm.SumGRES(j.GresPerNode.List, "gpu") == 1
	switch {
	case !j.IsPending():
		return newChangedError("job %s is %s: only the GPU of a pending one can become shards", e.Run.TextOf(j.Label()), j.State)
	case len(e.Nodes) == 0 || !j.RequiredNodes.SameAs(e.Nodes):
		return newChangedError("job %s is bound to %q, not to %q: shards are asked for on a named node only", e.Run.TextOf(j.Label()), j.RequiredNodes.Text, e.Nodes)
	case d.client.API().TakesPlainBodies:
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: fmt.Errorf("%s cannot make the GPU of a waiting job shards: Slurm 24.11 and later can", d.client.API().Name())}
	case j.GresPerJob.Text != "" || j.GresPerTask.Text != "" || !isOneGPU && !asksShardsAlone(&j):
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: fmt.Errorf("the request %q of job %s is not for one GPU per node alone", j.GresPerNode.Text, j.Label())}
	}
	return d.updateJobField(ctx, e.Run, updateField{"tres_per_node", fmt.Sprintf("gres/shard:%d", e.Value)})
}

// asksShardsAlone reports whether the job asks for shards per node and for nothing else.
func asksShardsAlone(j *slurm.Job) bool {
	list := j.GresPerNode.List
	return j.GresPerJob.Text == "" && len(list) == 1 && list[0].Name == "shard" && !strings.Contains(j.GresPerNode.Text, ",")
}
