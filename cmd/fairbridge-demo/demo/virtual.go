package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/cmd/settings"
	"fairbridge/replica/sim"
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

// patientJournal waits for the database as long as it takes: virtual time stands still meanwhile.
type patientJournal struct{ bridge.Journal }

// UpdateIntent stores an intent, whatever time the caller allows.
func (j patientJournal) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	return j.Journal.UpdateIntent(context.WithoutCancel(ctx), in)
}

// virtualLeaderTTL is how long leadership lasts: the database counts it by its own clock, and no
// other daemon is there to take it over.
const virtualLeaderTTL = 30 * 24 * time.Hour

// onlyEpoch is that of a leadership that nobody else ever had.
const onlyEpoch = 1

// withoutTimeLimits is a connection string for statements that take as long as they like.
func withoutTimeLimits(dsn string) string {
	return dsn + "&statement_timeout=0&lock_timeout=0&idle_in_transaction_session_timeout=0"
}

// startConfiguredLoop puts the loop beside a simulated cluster as a file configures it, over a
// database, which learns the accounts' shares first, as from a daemon.
func startConfiguredLoop(ctx context.Context, s *simulatedCluster, path string, db *stores.Stores) (*loopCluster, error) {
	file, err := settings.Load(path)
	if err != nil {
		return nil, err
	}
	config, err := file.LoopConfig()
	if err != nil {
		return nil, err
	}
	if err := db.SetConfiguredAccounts(ctx, file.Cluster, file.AccountShares()); err != nil {
		return nil, err
	}
	return startLoop(s, config, cycle.Parts{Journal: db, Leadership: db, History: db, Demotions: db})
}

// startLoop puts the loop beside a simulated cluster; what it remembers is in the journal,
// leadership and history of the parts.
func startLoop(s *simulatedCluster, config bridge.Config, p cycle.Parts) (*loopCluster, error) {
	l := &loopCluster{simulatedCluster: s, nextCycle: s.Now()}
	s.server.WithWorld(func(w *sim.World) {
		p.Cluster, p.Now, p.History = sim.DirectCluster{World: w}, w.Now, virtualHistory{p.History, w.Now}
	})
	config.LeaderTTL, p.Journal, p.WaitsForPlans = virtualLeaderTTL, patientJournal{p.Journal}, true
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
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == bridge.CauseJournal || d.Cause == bridge.CauseHistory || d.Cause == bridge.CauseLeaderUnknown || isPushCutShort(d) {
			return fmt.Errorf("cycle of fairbridge: %s: %w", d.Cause, d.Err)
		}
	}
	if report.Epoch != onlyEpoch {
		return fmt.Errorf("cycle of fairbridge: another led meanwhile (epoch %d, %s)", report.Epoch, report.LeaderName)
	}
	return nil
}

// isPushCutShort reports whether a push ended early for a reason of our own, not of Slurm's.
func isPushCutShort(d bridge.Doubt) bool {
	return d.Cause == bridge.CausePushEndedEarly && !errors.Is(d.Err, push.ErrCallsFailing) && !errors.Is(d.Err, push.ErrJobsRewritten)
}
