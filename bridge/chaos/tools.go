package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/push"
)

// tick runs what a timer outside the daemon runs every minute.
func (t *trial) tick() {
	if t.w.Now().Before(t.due) || t.faults.is(event.NoTimer, t.cycle) {
		return
	}
	t.due = t.w.Now().Add(time.Minute)
	p := t.timer
	p.fresh()
	c := t.Site.Config("", "", nil)
	x := push.Expirer{Releaser: p.releaser(), Watch: &database{p}, After: c.ExpireAfter(), StopFile: t.stopFile}
	switch out, err := x.Run(context.Background()); {
	case err != nil:
		t.trace.note("expire fails: %v", err)
	case len(out.Edits) > 0:
		t.trace.note("expire gives %d back", len(out.Edits))
	}
}

// released is fairbridge release in the middle: a daemon is stopped, and started
// again after it.
func released(t *trial, _ *rand.Rand) {
	p := t.procs[0]
	p.loop, p.rest, p.armed = nil, 1, nil
	_ = (&database{p}).Resign(context.Background(), site.Cluster, p.holder)
	t.trace.note("release: %v", t.giveBack())
}

// giveBack is fairbridge release.
func (t *trial) giveBack() error {
	ctx := context.Background()
	t.command.fresh()
	r := t.command.releaser()
	holder, held, err := r.Lead(ctx)
	if err != nil || !held {
		return fmt.Errorf("leading, where %q leads: %w", holder, err)
	}
	defer func() { _ = r.Resign(ctx) }()
	_, err = r.Release(ctx)
	return err
}

// fresh is a new process: it knows nothing but what the database knows.
func (p *proc) fresh() {
	p.Daemon.Starts()
	p.marks, p.touch, p.fullAt = nil, map[int64]int{}, time.Time{}
}

func (p *proc) releaser() push.Releaser {
	parts := p.parts()
	return push.Releaser{Ports: parts.Ports(), Leadership: parts.Leadership, Name: site.Cluster, Holder: p.holder, Wait: func(_ context.Context, d time.Duration) error {
		p.w.Advance(p.w.Now().Add(d))
		return nil
	}}
}
