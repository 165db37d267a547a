package daemon

import (
	"context"
	"time"

	"fairbridge/cmd/internal/system"
)

// sumInterval is how far reports may be behind the record.
const sumInterval = 5 * time.Minute

// runSums keeps what reports read in step with the record.
func (d *daemon) runSums(ctx context.Context) error {
	return runEvery(ctx, sumInterval, sumInterval, func() {
		if _, err := d.DB.SumDueDays(ctx, d.File.Cluster); err != nil && ctx.Err() == nil {
			d.log.Warn("reports are behind: the record was not summed up", "error", err)
		}
	})
}

// firstUpkeep is how soon after the start what is done once an hour is done first: a daemon that is restarted every
// hour drops old rows too. It leads by then, if it is to.
const firstUpkeep = 5 * time.Minute

// runUpkeep sums up the last hours' GPU readings, drops what is past its retention
// and learns run times, soon after the start and then once an hour; the last also at once.
func (d *daemon) runUpkeep(ctx context.Context) error {
	d.learnRunTimes(ctx)
	return runEvery(ctx, firstUpkeep, time.Hour, func() {
		if _, err := d.DB.RollupDueHours(ctx, d.File.Cluster, time.Now()); err != nil {
			d.log.Warn("GPU readings not summed up", "error", err)
		}
		if err := pruneIfLeading(ctx, d.System); err != nil && ctx.Err() == nil {
			d.log.Warn("old rows not dropped", "error", err)
		}
		d.learnRunTimes(ctx)
	})
}

// pruneIfLeading drops what is past its retention, unless another daemon leads.
func pruneIfLeading(ctx context.Context, s *system.System) error {
	l, err := s.DB.ReadLeader(ctx, s.File.Cluster)
	if err != nil || l == nil || !l.Leads || l.Daemon != s.Loop.DaemonName {
		return err
	}
	_, err = s.DB.Prune(ctx, s.File.Cluster, time.Now(), s.File.Retention())
	return err
}

// learnRunTimes fits the model of run times anew.
func (d *daemon) learnRunTimes(ctx context.Context) {
	got, err := d.DB.Learn(ctx, d.File.Cluster, time.Now())
	switch {
	case err != nil && ctx.Err() == nil:
		d.log.Warn("run times not learnt anew", "error", err)
	case got.ModelID != 0:
		d.log.Info("run times learnt", "model", got.ModelID, "jobs", got.RunCount, "through", got.Through)
	}
}

// runEvery does something again and again until the context ends: first after some time, and
// then so long after it was done last.
func runEvery(ctx context.Context, first, pause time.Duration, do func()) error {
	wait := time.NewTimer(first)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wait.C:
			do()
			wait.Reset(pause)
		}
	}
}
