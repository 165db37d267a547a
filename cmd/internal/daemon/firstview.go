package daemon

import (
	"context"
	"log/slog"
	"sync"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
)

// firstView is a History that does something before the first view is recorded, and the first after another daemon led, whose
// configuration may be another: by then it is known that Slurm speaks for the configured cluster, and nothing is stored under a
// name that is not one.
type firstView struct {
	bridge.History
	atFirst func(context.Context) error // tried again at the next view when it fails
	log     *slog.Logger
	once    sync.Once
	isDone  bool          // atFirst succeeded
	seen    chan struct{} // closed when a view is recorded for the first time
}

// RecordView records a view.
func (f *firstView) RecordView(ctx context.Context, v *slurm.View) error {
	if !f.isDone {
		err := f.atFirst(ctx)
		if f.isDone = err == nil; err != nil {
			f.log.Warn("account shares and billing weights not stored", "error", err)
		}
	}
	f.once.Do(func() { close(f.seen) })
	return f.History.RecordView(ctx, v)
}

// noteCycle sees in a cycle that another daemon leads.
func (f *firstView) noteCycle(r *cycle.Report) {
	if r.Result == cycle.ResultStandby {
		f.isDone = false
	}
}
