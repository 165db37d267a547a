package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
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

// trace keeps the last lines of what happened. The first breach stops it.
type trace struct {
	recentLines       []string
	linesBeforeBreach []string
	lineHash          hash.Hash // of all lines; nil: none yet
}

var _ io.Writer = (*trace)(nil)

// Write takes a line of Slurm's log.
func (t *trace) Write(line []byte) (int, error) {
	if t.lineHash == nil {
		t.lineHash = sha256.New()
	}
	_, _ = t.lineHash.Write(line)
	t.recentLines = append(t.recentLines, string(line[:len(line)-1]))
	if len(t.recentLines) > 400 {
		t.recentLines = append(t.recentLines[:0], t.recentLines[200:]...)
	}
	return len(line), nil
}

func (t *trace) addLine(format string, a ...any) {
	_, _ = t.Write([]byte("    -- " + fmt.Sprintf(format, a...) + "\n"))
}

func (t *trace) digest() string {
	if t.lineHash == nil {
		return ""
	}
	return hex.EncodeToString(t.lineHash.Sum(nil))
}

// keepLinesBeforeBreach keeps the lines that led to the first breach.
func (t *trace) keepLinesBeforeBreach() {
	if t.linesBeforeBreach == nil {
		t.linesBeforeBreach = append([]string{}, t.recentLines[max(0, len(t.recentLines)-120):]...)
	}
}
