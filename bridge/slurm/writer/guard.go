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
	ErrStopFile    = errors.New("the STOP file forbids all writing")
	ErrNotLeader   = errors.New("not allowed to write")
	ErrReadOnlyAPI = errors.New("this API version is only read")
)

// writeGuard says whether something may be written now.
type writeGuard struct {
	rateLimiter   *rate.Limiter
	stopFile      string
	currentAPI    func() rest.API
	checkMayWrite func(context.Context) error
}

// waitForPermission waits for its turn and then checks, last thing before the write,
// whether it may be done at all.
func (g *writeGuard) waitForPermission(ctx context.Context) error {
	if err := g.rateLimiter.Wait(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "waiting for a turn to write", Err: err}
	}
	if err := g.checkStopFile(); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: err}
	}
	if api := g.currentAPI(); !api.CanWrite {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%s: %w", api.Name(), ErrReadOnlyAPI)}
	}
	if g.checkMayWrite == nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: ErrNotLeader}
	}
	if err := g.checkMayWrite(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%w: %w", ErrNotLeader, err)}
	}
	if err := ctx.Err(); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "before the write was sent", Err: err}
	}
	return nil
}

// checkStopFile looks for the STOP file.
func (g *writeGuard) checkStopFile() error {
	if g.stopFile == "" {
		return nil
	}
	_, err := os.Lstat(g.stopFile)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists: %w", g.stopFile, ErrStopFile)
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return fmt.Errorf("cannot look for it (%w): %w", err, ErrStopFile)
}
