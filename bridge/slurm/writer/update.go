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
