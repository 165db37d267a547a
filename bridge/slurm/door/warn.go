package door

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// warn sends a signal to the batch script of a running job, and to nothing else
// of it. It goes through scancel on every release: REST signals by DELETE, which
// kills the job when the signal or its flag is lost on the way, and before
// 24.11 it reaches the steps too. The words are constants, of which check has
// made sure; the job is looked at right before, since nothing binds a signal to
// a run.
func (d *Door) warn(ctx context.Context, e slurm.Edit) error {
	j, err := d.look(ctx, e.Run)
	if err != nil {
		return err
	}
	address, err := requeueAddress(&j, e.Array)
	if err != nil {
		return err
	}
	if len(d.cfg.Scancel) == 0 {
		return &slurm.Error{Class: slurm.Rejected, Text: "slurm.scancel is not given, and there is no scancel beside slurm.scontrol"}
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	return d.command(ctx, d.cfg.Scancel, "--batch", "--signal="+string(e.Signal), address)
}

// ScancelBeside returns the command line that runs scancel where the given one
// runs scontrol; nil where it does not say scontrol.
func ScancelBeside(scontrol []string) []string {
	out := slices.Clone(scontrol)
	last := &out[len(out)-1]
	dir, name := filepath.Split(*last)
	if !strings.Contains(name, "scontrol") {
		return nil
	}
	*last = dir + strings.Replace(name, "scontrol", "scancel", 1)
	return out
}
