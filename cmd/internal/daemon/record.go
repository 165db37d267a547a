package daemon

import (
	"context"
	"errors"
	"time"

	"fairbridge/accounting/runs"
	"fairbridge/cmd/internal/system"
)

// What was read is read again for some time back, because slurmctld may report
// late: a little each time, and a day now and then.
const (
	shortOverlap        = time.Hour
	longOverlapInterval = 6 * time.Hour
)

// runImports reads what is new in slurmdbd, again and again. Without slurmdbd
// the record rests on what polls saw, so that a failure is only logged, and logged
// once.
func (d *daemon) runImports(ctx context.Context) error {
	select {
	case <-d.firstViewSeen: // nothing is stored under the name of another cluster
	case <-ctx.Done():
		return nil
	}
	lastError, lastLong := "", time.Time{}
	return runEvery(ctx, 0, d.File.Slurm.Accounting, func() {
		im := runs.Import{Cluster: d.File.Cluster, Overlap: shortOverlap}
		if time.Since(lastLong) > longOverlapInterval {
			im.Overlap = runs.DefaultOverlap
		}
		out, err := d.importRecords(ctx, im)
		if err == nil && im.Overlap > shortOverlap {
			lastLong = time.Now()
		}
		switch {
		case ctx.Err() != nil:
		case err != nil && err.Error() != lastError:
			d.log.Warn("slurmdbd not read; usage rests on what was seen (slurm.accounting in the configuration)", "error", err)
		case err == nil && (out.ChangedCount > 0 || lastError != ""):
			d.log.Info("record made equal to slurmdbd's", "runs", out.RunCount, "changed", out.ChangedCount, "through", out.Through)
		}
		if lastError = ""; err != nil {
			lastError = err.Error()
		}
	})
}

// importRecords reads once; the first time, the last day.
func (d *daemon) importRecords(ctx context.Context, im runs.Import) (system.ImportReport, error) {
	out, err := system.ImportSlurmdbd(ctx, d.File, d.DB, im)
	if errors.Is(err, runs.ErrNoImportStart) {
		im.Since = time.Now().Add(-runs.DefaultOverlap)
		out, err = system.ImportSlurmdbd(ctx, d.File, d.DB, im)
	}
	return out, err
}
