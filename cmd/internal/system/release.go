package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/localjournal"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/push"
)

// ReleaseOptions say how everything of ours is given back.
type ReleaseOptions struct {
	DryRun     bool                 // only find it
	MaxWait    time.Duration        // for another daemon to step down
	Messages   io.Writer            // says why it takes its time
	OnProgress func(sent, left int) // called after each call to Slurm
}

// Release gives back what is ours, while a STOP file exists too. Beside an error
// there is what was done all the same. The system is good for nothing else then.
func (s *System) Release(ctx context.Context, o ReleaseOptions) (*push.ReleaseResult, error) {
	s.handsBack, s.ignoresStopFile = true, true
	r := s.newReleaser(":release")
	r.ReportProgress = o.OnProgress
	if o.DryRun {
		out, err := r.FindReleasable(ctx)
		if !errors.Is(err, accounting.ErrUnreachable) {
			return out, err
		}
		done, err := s.useLocalJournal(o.Messages, r, err, localjournal.Read)
		if err != nil {
			return nil, err
		}
		defer done()
		return r.FindReleasable(ctx)
	}
	done, err := waitToLead(ctx, o, r)
	if errors.Is(err, accounting.ErrUnreachable) {
		done, err = s.useLocalJournal(o.Messages, r, err, localjournal.Open)
	}
	if err != nil {
		return nil, err
	}
	defer done()
	return r.Release(ctx)
}

// Expire gives back what a daemon that died left, if it is due. The system is good
// for nothing else then.
func (s *System) Expire(ctx context.Context, news io.Writer) (*push.ReleaseResult, error) {
	s.handsBack = true
	x := &push.Expirer{
		Releaser: *s.newReleaser(push.ExpirerNameSuffix), LeaderWatch: s.DB, OperatorActions: s.DB, MinLeaderlessTime: s.Loop.MinLeaderlessTime(), StopFile: s.File.StopFile,
	}
	out, err := x.Run(ctx)
	if !errors.Is(err, accounting.ErrUnreachable) {
		return out, err
	}
	done, err := s.useLocalJournal(news, &x.Releaser, err, localjournal.Open)
	if err != nil {
		return nil, err
	}
	defer done()
	x.LeaderWatch = nil
	return x.Run(ctx)
}

// newReleaser leads under a name of its own.
func (s *System) newReleaser(suffix string) *push.Releaser {
	return &push.Releaser{Ports: s.Loop.PushPorts(), Leadership: s.Loop.Leadership, ClusterName: s.File.Cluster, HolderName: s.Loop.DaemonName + suffix}
}

// useLocalJournal works from the local journal, while Postgres is down. The file
// lets one process write at a time, so a running daemon keeps those out who open it to write.
func (s *System) useLocalJournal(
	news io.Writer, r *push.Releaser, cause error, open func(path string) (*localjournal.Journal, error),
) (done func(), err error) {
	if s.File.Journal == "" {
		return nil, cause
	}
	j, err := open(s.File.Journal)
	if err != nil {
		return nil, fmt.Errorf("%w; and the local journal does not help: %w", cause, err)
	}
	printable.Fprintf(news, "Postgres cannot be reached: working from the local journal %s.\n", s.File.Journal)
	r.Journal = j
	return func() { _ = j.Close() }, nil
}

// waitToLead waits until no other daemon leads.
func waitToLead(ctx context.Context, o ReleaseOptions, r *push.Releaser) (done func(), err error) {
	deadline := time.Now().Add(o.MaxWait)
	for announced := false; ; {
		holder, held, err := r.Lead(ctx)
		if err != nil || held {
			return func() { _ = r.Resign(ctx) }, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s still leads: stop it first (systemctl stop fairbridge)", holder)
		}
		if !announced {
			printable.Fprintf(o.Messages, "%s leads: waiting up to %s for it to end (systemctl stop fairbridge)…\n", holder, o.MaxWait)
			announced = true
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted; nothing was changed")
		case <-time.After(time.Second):
		}
	}
}
