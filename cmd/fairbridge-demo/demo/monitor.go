package demo

import (
	"context"
	"time"
)

// monitor looks at the day with fairbridge.
type monitor struct {
	*demonstration
	daemon      *daemon
	decisions   *decisionLog
	probes      *probes
	probesShown bool
}

func (w *monitor) update(ctx context.Context, p *progress) error {
	w.screen.setStatus("  " + p.String())
	if err := w.daemon.runProcess.checkRunning(); err != nil {
		return err
	}
	if w.probes != nil {
		if err := w.probes.updateStates(p.Queue); err != nil {
			return err
		}
		if !w.probesShown && p.At > 12*time.Second {
			w.probesShown = true
			if words, err := w.probes.describeMeasured(ctx); err == nil {
				w.screen.printf("  %-8s %s", "gpus", words)
			} else {
				w.screen.printf("  %-8s %v", "gpus", err)
			}
		}
	}
	return w.decisions.announceNew(ctx, p.Queue)
}
