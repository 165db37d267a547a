package door

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fairbridge/bridge/slurm"
)

// The reasons for which the door stays shut, found by errors.Is.
var (
	ErrStopped   = errors.New("the STOP file forbids all writing")
	ErrNotLeader = errors.New("not allowed to write")
	ErrReadOnly  = errors.New("this API version is only read")
)

// enter waits for its turn and then looks, last thing before the write,
// whether it may be done at all.
func (d *Door) enter(ctx context.Context) error {
	if err := d.pace.Wait(ctx); err != nil {
		return &slurm.Error{Class: slurm.Busy, Text: "waiting for a turn to write", Err: err}
	}
	if err := d.stopped(); err != nil {
		return &slurm.Error{Class: slurm.Refused, Err: err}
	}
	if api := d.client.API(); !api.Writes {
		return &slurm.Error{Class: slurm.Refused, Err: fmt.Errorf("%s: %w", api.Name(), ErrReadOnly)}
	}
	if d.cfg.MayWrite == nil {
		return &slurm.Error{Class: slurm.Refused, Err: ErrNotLeader}
	}
	if err := d.cfg.MayWrite(ctx); err != nil {
		return &slurm.Error{Class: slurm.Refused, Err: fmt.Errorf("%w: %w", ErrNotLeader, err)}
	}
	if err := ctx.Err(); err != nil {
		return &slurm.Error{Class: slurm.Busy, Text: "before the write was sent", Err: err}
	}
	return nil
}

func (d *Door) stopped() error {
	if d.cfg.StopFile == "" {
		return nil
	}
	_, err := os.Lstat(d.cfg.StopFile)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists: %w", d.cfg.StopFile, ErrStopped)
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return fmt.Errorf("cannot look for it (%w): %w", err, ErrStopped)
}
