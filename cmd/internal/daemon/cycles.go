package daemon

import (
	"context"
	"fmt"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"fairbridge/accounting/localjournal"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
)

// runCycles runs the loop, tells systemd of it, and gives leadership back at the
// end.
func (d *daemon) runCycles(ctx context.Context) error {
	f := d.File
	d.log.Info("fairbridge runs", "cluster", f.Cluster, "interval", f.Interval, "partitions", f.FormatModes(), "metrics", f.Listen)
	seen := figures.NewMetrics(d.Registry)
	d.Loop.OnCycleEnd = func(r *cycle.Report) {
		_, _ = systemd.SdNotify(false, systemd.SdNotifyWatchdog)
		d.recorded.noteCycle(r)
		d.noteDatabaseReached(r)
		d.recordDoubts(ctx, r)
		d.storeEstimates(ctx, r)
		seen.NoteCycle(r)
		d.reminders.NoteCycle(r)
		if d.answers != nil {
			d.answers.NoteCycle(r)
		}
	}
	_, _ = systemd.SdNotify(false, systemd.SdNotifyReady)
	err := d.Loop.Run(ctx)
	_, _ = systemd.SdNotify(false, systemd.SdNotifyStopping)
	d.log.Info("fairbridge ends; leases run out by themselves")
	return err
}

// runCycle runs one cycle and steps down.
func (d *daemon) runCycle(ctx context.Context) error {
	r := d.Loop.Step(ctx)
	d.recordDoubts(ctx, &r)
	d.storeEstimates(ctx, &r)
	if r.Result == cycle.ResultStandby {
		return fmt.Errorf("%s leads: nothing was done; stop it first, or look with fairbridge plan", r.LeaderName)
	}
	if r.Epoch != 0 {
		if err := d.DB.Resign(context.WithoutCancel(ctx), d.File.Cluster, d.Loop.DaemonName); err != nil {
			r.Doubts = append(r.Doubts, bridge.Doubt{Cause: bridge.CauseLeaderUnknown, Err: err})
		}
	}
	if len(r.Doubts) > 0 {
		return fmt.Errorf("%s: %w", r.Doubts[0].Cause, r.Doubts[0].Err)
	}
	return nil
}

// noteDatabaseReached lets fairbridge expire have the local journal while the database is
// out of reach.
func (d *daemon) noteDatabaseReached(r *cycle.Report) {
	tee, ok := d.Loop.Journal.(*localjournal.Tee)
	if !ok {
		return
	}
	if err := tee.NoteDatabaseReached(r.Epoch != 0 || r.Result == cycle.ResultStandby, time.Now(), d.Loop.MinLeaderlessTime()); err != nil {
		d.log.Warn("the local journal is not free for fairbridge expire", "error", err)
	}
}
