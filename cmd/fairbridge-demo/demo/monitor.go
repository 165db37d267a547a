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

// update looks whether all parts still run, and tells what is new.
func (w *monitor) update(ctx context.Context, p *progress) error {
	if w.daemon.process != nil {
		if err := w.daemon.process.checkRunning(); err != nil {
			return err
		}
	}
	if w.probes != nil {
		if err := w.updateProbes(ctx, p); err != nil {
			return err
		}
	}
	if _, err := w.daemon.countCycles(ctx); err != nil {
		return err
	}
	return w.decisions.announceNewIntents(ctx, p.Queue)
}

// updateProbes makes the GPUs as busy as the jobs are, and says once what is measured.
func (w *monitor) updateProbes(ctx context.Context, p *progress) error {
	if err := w.probes.checkRunning(); err != nil {
		return err
	}
	if err := w.probes.updateStates(p.Queue); err != nil {
		return err
	}
	if !w.hasShownProbes && p.Elapsed > 12*time.Second {
		w.hasShownProbes = true
		words, err := w.probes.describeMeasured(ctx)
		if err != nil {
			words = err.Error()
		}
		w.screen.printf("  %-8s %s", "gpus", words)
	}
	return nil
}
