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

// runTimer runs what a timer outside the daemon runs every minute.
func (t *trial) runTimer() {
	if t.world.Now().Before(t.due) || t.faults.isActive(event.NoTimer, t.cycle) {
		return
	}
	t.due = t.world.Now().Add(time.Minute)
	p := t.timer
	p.forget()
	c := t.Site.Config("", "", nil)
	x := push.Expirer{Releaser: p.releaser(), LeaderWatch: &database{p}, MinLeaderlessTime: c.MinLeaderlessTime(), StopFile: t.stopFile}
	switch out, err := x.Run(context.Background()); {
	case err != nil:
		t.trace.addLine("expire fails: %v", err)
	case len(out.Edits) > 0:
		t.trace.addLine("expire gives %d back", len(out.Edits))
	}
}

// releaseAndRestart is fairbridge release in the middle: a daemon is stopped, and started
// again after it.
func releaseAndRestart(t *trial, _ *rand.Rand) {
	p := t.procs[0]
	p.loop, p.restCycles, p.armed = nil, 1, nil
	_ = (&database{p}).Resign(context.Background(), site.Cluster, p.holder)
	t.trace.addLine("release: %v", t.runRelease())
}

// runRelease is fairbridge release.
func (t *trial) runRelease() error {
	ctx := context.Background()
	t.command.forget()
	r := t.command.releaser()
	holder, held, err := r.Lead(ctx)
	if err != nil || !held {
		return fmt.Errorf("leading, where %q leads: %w", holder, err)
	}
	defer func() { _ = r.Resign(ctx) }()
	_, err = r.Release(ctx)
	return err
}

// forget is a new process: it knows nothing but what the database knows.
func (p *daemonProcess) forget() {
	p.Daemon.NoteStart()
	p.marks, p.touched, p.fullAt = nil, map[int64]int{}, time.Time{}
}

func (p *daemonProcess) releaser() push.Releaser {
	parts := p.parts()
	return push.Releaser{Ports: parts.Ports(), Leadership: parts.Leadership, ClusterName: site.Cluster, HolderName: p.holder, Wait: func(_ context.Context, d time.Duration) error {
		p.world.Advance(p.world.Now().Add(d))
		return nil
	}}
}
