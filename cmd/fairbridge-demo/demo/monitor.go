package demo

import (
	"context"
	"time"
)

// monitor looks at the day with fairbridge.
type monitor struct {
	*demonstration
	daemon         *daemon
	decisions      *decisionLog
	probes         *probes
	hasShownProbes bool
}

func (w *monitor) update(ctx context.Context, p *progress) error {
	w.screen.setStatus("  " + p.String())
	if err := w.daemon.process.checkRunning(); err != nil {
		return err
	}
	if w.probes != nil {
		if err := w.probes.updateStates(p.Queue); err != nil {
			return err
		}
		if !w.hasShownProbes && p.Elapsed > 12*time.Second {
			w.hasShownProbes = true
			if words, err := w.probes.describeMeasured(ctx); err == nil {
				w.screen.printf("  %-8s %s", "gpus", words)
			} else {
				w.screen.printf("  %-8s %v", "gpus", err)
			}
		}
	}
	return w.decisions.announceNewIntents(ctx, p.Queue)
}
