package daemon

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

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
	failed, lastLong, told := "", time.Time{}, map[string]bool{}
	return runEvery(ctx, 0, d.File.Slurm.Accounting, func() {
		im := runs.Import{Cluster: d.File.Cluster, Overlap: shortOverlap}
		if time.Since(lastLong) > longOverlapInterval {
			im.Overlap = runs.DefaultOverlap
		}
		out, err := d.importRecords(ctx, im)
		if err == nil && im.Overlap > shortOverlap {
			lastLong = time.Now()
		}
		kind := kindOfFailure(err)
		switch {
		case ctx.Err() != nil:
		case err != nil && kind != failed:
			d.log.Warn("slurmdbd not read; usage rests on what was seen (slurm.accounting in the configuration)", "error", err)
		case err == nil && (out.ChangedCount > 0 || failed != ""):
			d.log.Info("record made equal to slurmdbd's", "runs", out.RunCount, "changed", out.ChangedCount, "through", out.Through)
		}
		failed = kind
		if bad := newlyBad(out.Bad, told); len(bad) > 0 {
			d.log.Warn("records of slurmdbd make no sense; all others are stored", "count", len(bad), "records",
				bad[:min(len(bad), maxNamedRecords)])
		}
	})
}

// maxNamedRecords is how many bad records one line of the log names.
const maxNamedRecords = 5

// newlyBad returns the records that told does not have yet, and adds them.
func newlyBad(bad []string, told map[string]bool) (out []string) {
	for _, text := range bad {
		if !told[text] {
			told[text], out = true, append(out, text)
		}
	}
	return out
}

// kindOfFailure tells failures apart, whatever times and counts their texts hold; "" is none.
func kindOfFailure(err error) string {
	if err == nil {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, err.Error())
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
