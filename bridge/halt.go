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
func (l *Loop) MayPush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: the cycle's time is over: %w", errHalt, err)
	}
	if Stopped(l.StopFile) {
		return fmt.Errorf("%w: %s exists", errHalt, l.StopFile)
	}
	if err := l.seat.secure(ctx, l.Leadership); err != nil {
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
