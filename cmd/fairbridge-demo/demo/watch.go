package demo

import (
	"context"
	"time"
)

// watch looks at the day with fairbridge.
type watch struct {
	*show
	daemon   *daemon
	news     *news
	probes   *probes
	measured bool
}

func (w *watch) look(ctx context.Context, p *progress) error {
	w.screen.show("  " + p.String())
	if err := w.daemon.run.failed(); err != nil {
		return err
	}
	if w.probes != nil {
		if err := w.probes.follow(p.Queue); err != nil {
			return err
		}
		if !w.measured && p.At > 12*time.Second {
			w.measured = true
			if words, err := w.probes.measured(ctx); err == nil {
				w.screen.say("  %-8s %s", "gpus", words)
			} else {
				w.screen.say("  %-8s %v", "gpus", err)
			}
		}
	}
	return w.news.look(ctx, p.Queue)
}
