package push

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fairbridge/bridge"
)

// ErrPushHalted ends a push early; its text says why.
var ErrPushHalted = errors.New("push halted")

// ErrCallsFailing ends a push because call after call fails, for reasons that are
// not the jobs' own.
var ErrCallsFailing = errors.New("calls keep failing")

// CheckMayCall says why no call may be made now: the time of the caller is over, a STOP file
// exists, or leadership does not last for it and cannot be renewed.
func CheckMayCall(ctx context.Context, stopFile string, l *LeaderLease, election bridge.Leadership) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: the cycle's time is over: %w", ErrPushHalted, err)
	}
	if StopFileExists(stopFile) {
		return fmt.Errorf("%w: %s exists", ErrPushHalted, stopFile)
	}
	if err := l.Renew(ctx, election); err != nil {
		return fmt.Errorf("%w: %w", ErrPushHalted, err)
	}
	return nil
}

// StopFileExists reports whether the STOP file exists. A file that cannot be looked
// for counts as there: in doubt nothing is pushed.
func StopFileExists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
