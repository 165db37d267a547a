package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim"
	"fairbridge/cmd/settings"
)

// loopCluster is a simulated cluster with the loop of fairbridge beside it, both in virtual
// time: whatever the machine is busy with, the same comes of it.
type loopCluster struct {
	*simulatedCluster
	loop      *cycle.Loop
	nextCycle time.Time
}

// virtualHistory is a history whose clock is the cluster's, as its views are.
type virtualHistory struct {
	bridge.History
	now func() time.Time
}

// Clock returns the time in the cluster.
func (h virtualHistory) Clock(context.Context) (time.Time, error) { return h.now(), nil }

// loadLoopConfig reads the configuration file that the demonstration wrote.
func loadLoopConfig(path string) (bridge.Config, error) {
	file, err := settings.Load(path)
	if err != nil {
		return bridge.Config{}, err
	}
	return file.LoopConfig()
}

// startLoop puts the loop beside a simulated cluster; what it remembers is in the journal,
// leadership and history of the parts.
func startLoop(s *simulatedCluster, config bridge.Config, p cycle.Parts) (*loopCluster, error) {
	l := &loopCluster{simulatedCluster: s, nextCycle: s.Now()}
	s.server.WithWorld(func(w *sim.World) {
		p.Cluster, p.Now, p.History = sim.DirectCluster{World: w}, w.Now, virtualHistory{p.History, w.Now}
	})
	p.Probes, p.ExpirerStatus = bridge.NoProbes{}, bridge.SimulatedExpirer{}
	p.Metrics, p.Log = cycle.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)
	var err error
	if l.loop, err = cycle.New(config, p); err != nil {
		return nil, fmt.Errorf("configuring fairbridge: %w", err)
	}
	return l, nil
}

// Wait lets time pass in the cluster, with the cycles that come due.
func (l *loopCluster) Wait(ctx context.Context, d time.Duration) (err error) {
	l.server.WithWorld(func(w *sim.World) {
		for end := w.Now().Add(d); err == nil; {
			if l.nextCycle.After(end) {
				w.Advance(end)
				return
			}
			w.Advance(l.nextCycle)
			err = l.runCycle(ctx)
		}
	})
	return errors.Join(err, ctx.Err())
}

// runCycle runs a cycle. A doubt about our own side ends the day: nothing on this machine
// may be in doubt but the database, and without it there is no day to show.
func (l *loopCluster) runCycle(ctx context.Context) error {
	report := l.loop.Step(ctx)
	l.nextCycle = l.nextCycle.Add(l.loop.Interval)
	for _, d := range report.Doubts {
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == bridge.CauseJournal || d.Cause == bridge.CauseHistory {
			return fmt.Errorf("cycle of fairbridge: %s: %w", d.Cause, d.Err)
		}
	}
	return nil
}
