package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/push"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/site"
)

// runExpireTimer runs what a timer outside the daemon runs every minute.
func (t *trial) runExpireTimer() {
	if t.world.Now().Before(t.nextTimerRun) || t.faults.isActive(event.ExpireTimerStopped, t.cycle) {
		return
	}
	t.nextTimerRun = t.world.Now().Add(time.Minute)
	p := t.expireProcess
	p.forgetEverything()
	c := t.Site.NewDaemonConfig("", "", nil, nil)
	x := push.Expirer{Releaser: p.newReleaser(), LeaderWatch: &faultyDatabase{p}, MinLeaderlessTime: c.MinLeaderlessTime(), StopFile: t.stopFile}
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
	p := t.daemons[0]
	p.loop, p.cyclesUntilRestart, p.pendingActions = nil, 1, nil
	_ = (&faultyDatabase{p}).Resign(context.Background(), site.ClusterName, p.holderName)
	t.trace.addLine("release: %v", t.runRelease())
}

// runRelease is fairbridge release.
func (t *trial) runRelease() error {
	ctx := context.Background()
	t.releaseProcess.forgetEverything()
	r := t.releaseProcess.newReleaser()
	holder, held, err := r.Lead(ctx)
	if err != nil || !held {
		return fmt.Errorf("leading, where %q leads: %w", holder, err)
	}
	defer func() { _ = r.Resign(ctx) }()
	_, err = r.Release(ctx)
	return err
}

// forgetEverything is a new process: it knows nothing but what the database knows.
func (p *daemonProcess) forgetEverything() {
	p.Daemon.NoteStart()
	p.lastStateByJob, p.freshPollsLeftByJob, p.lastFullListAt = nil, map[int64]int{}, time.Time{}
}

func (p *daemonProcess) newReleaser() push.Releaser {
	parts := p.newLoopParts()
	return push.Releaser{Ports: parts.PushPorts(), Leadership: parts.Leadership, ClusterName: site.ClusterName, HolderName: p.holderName, Wait: func(_ context.Context, d time.Duration) error {
		p.world.Advance(p.world.Now().Add(d))
		return nil
	}}
}
