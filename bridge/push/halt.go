package push

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fairbridge/bridge"
)

// ErrHalt ends a push early; its text says why.
var ErrHalt = errors.New("push halted")

// ErrFailing ends a push because call after call fails, for reasons that are
// not the jobs' own.
var ErrFailing = errors.New("calls keep failing")

// CheckMay says why no call may be made now: the time of the caller is over, a STOP file
// exists, or leadership does not last for it and cannot be renewed.
func CheckMay(ctx context.Context, stopFile string, l *Leader, election bridge.Leadership) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: the cycle's time is over: %w", ErrHalt, err)
	}
	if StopFileExists(stopFile) {
		return fmt.Errorf("%w: %s exists", ErrHalt, stopFile)
	}
	if err := l.Renew(ctx, election); err != nil {
		return fmt.Errorf("%w: %w", ErrHalt, err)
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
