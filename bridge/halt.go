package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// errHalt ends a push early; its text says why.
var errHalt = errors.New("push halted")

// MayPush looks, right before every call, at everything that may forbid it.
func (l *Loop) MayPush(ctx context.Context) error { return may(ctx, l.StopFile, &l.seat, l.Leadership) }

// may says why no call may be made now: the time of the caller is over, a STOP file
// exists, or leadership does not last for it and cannot be renewed.
func may(ctx context.Context, stopFile string, s *seat, l Leadership) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: the cycle's time is over: %w", errHalt, err)
	}
	if Stopped(stopFile) {
		return fmt.Errorf("%w: %s exists", errHalt, stopFile)
	}
	if err := s.secure(ctx, l); err != nil {
		return fmt.Errorf("%w: %w", errHalt, err)
	}
	return nil
}

// Stopped reports whether the STOP file exists. A file that cannot be looked
// for counts as there: in doubt nothing is pushed.
func Stopped(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
