package writer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// whileWaiting is a context that does something when the wait for a turn looks whether it is over.
type whileWaiting struct {
	context.Context
	do func()
}

func (w whileWaiting) Done() <-chan struct{} {
	w.do()
	return w.Context.Done()
}

// TestAStopDuringTheWaitCounts: a write waits for its turn, and meanwhile somebody makes the STOP
// file: the write is not sent.
func TestAStopDuringTheWaitCounts(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "STOP")
	d := open(t, &fake{}, 45, Config{StopFile: stop})
	ctx := whileWaiting{t.Context(), func() { _ = os.WriteFile(stop, nil, 0o600) }}
	if err := d.guard.waitForPermission(ctx); !errors.Is(err, ErrStopFile) {
		t.Errorf("with a STOP file made while it waited for its turn: %v", err)
	}
}
