package writer

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/time/rate"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// The reasons for which nothing is written, found by errors.Is.
var (
	ErrStopped   = errors.New("the STOP file forbids all writing")
	ErrNotLeader = errors.New("not allowed to write")
	ErrReadOnly  = errors.New("this API version is only read")
)

// guard says whether something may be written now.
type guard struct {
	limiter  *rate.Limiter
	stopFile string
	api      func() rest.API
	mayWrite func(context.Context) error
}

// enter waits for its turn and then looks, last thing before the write,
// whether it may be done at all.
func (g *guard) enter(ctx context.Context) error {
	if err := g.limiter.Wait(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "waiting for a turn to write", Err: err}
	}
	if err := g.checkStopFile(); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: err}
	}
	if api := g.api(); !api.Writes {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%s: %w", api.Name(), ErrReadOnly)}
	}
	if g.mayWrite == nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: ErrNotLeader}
	}
	if err := g.mayWrite(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%w: %w", ErrNotLeader, err)}
	}
	if err := ctx.Err(); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "before the write was sent", Err: err}
	}
	return nil
}

// checkStopFile looks for the STOP file.
func (g *guard) checkStopFile() error {
	if g.stopFile == "" {
		return nil
	}
	_, err := os.Lstat(g.stopFile)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists: %w", g.stopFile, ErrStopped)
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return fmt.Errorf("cannot look for it (%w): %w", err, ErrStopped)
}
