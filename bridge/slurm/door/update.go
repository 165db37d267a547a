package door

import (
	"context"
	"fmt"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/wire"
)

// update writes one field of one job record. The record is addressed by its
// own id, which touches neither the split tasks of an array nor the other
// components of a heterogeneous job.
func (d *Door) update(ctx context.Context, run slurm.Run, f field) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	return d.post(ctx, run, f)
}

// post sends an update that has been let through.
func (d *Door) post(ctx context.Context, run slurm.Run, f field) error {
	api := d.client.API()
	body, err := render(f, fenceOf(run, api.Fence))
	if err != nil {
		return &slurm.Error{Class: slurm.Rejected, Err: err}
	}
	return wire.Post(ctx, d.client.Conn(), fmt.Sprintf("/slurm/%s/job/%d", api.Name(), run.Job), body)
}

// look reads the job afresh and returns it if it is still the run meant.
func (d *Door) look(ctx context.Context, run slurm.Run) (slurm.Job, error) {
	j, err := d.client.Reread(ctx, run.Job)
	if err != nil {
		return j, err
	}
	switch {
	case j.Opaque != "":
		return j, changed("its record cannot be read: %s", j.Opaque)
	case !run.Same(j.Run()):
		return j, changed("job %v is now %v", run, j.Run())
	}
	return j, nil
}

func changed(format string, args ...any) error {
	return &slurm.Error{Class: slurm.Changed, Text: fmt.Sprintf(format, args...)}
}
