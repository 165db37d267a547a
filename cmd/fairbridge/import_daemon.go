package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fairbridge/accounting"
	"fairbridge/bridge/slurm/rest"
)

// What was read is read again for some time back, because slurmctld may report
// late: a little each time, and a day now and then.
const (
	shallow   = time.Hour
	deepEvery = 6 * time.Hour
)

// keepRecord reads what is new in slurmdbd, again and again. Without slurmdbd
// the record rests on what polls saw, so that a failure is only told, and told
// once.
func (s *stack) keepRecord(ctx context.Context, log *slog.Logger) {
	every := s.file.Slurm.Accounting
	if every <= 0 {
		return
	}
	said, deep := "", time.Time{}
	for wait := time.NewTimer(0); ; wait.Reset(every) {
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
		im := accounting.Import{Cluster: s.file.Cluster, Overlap: shallow}
		if time.Since(deep) > deepEvery {
			im.Overlap = accounting.DefaultOverlap
		}
		out, err := s.readRecord(ctx, im)
		if err == nil && im.Overlap > shallow {
			deep = time.Now()
		}
		switch {
		case ctx.Err() != nil:
		case err != nil && err.Error() != said:
			log.Warn("slurmdbd not read; usage rests on what was seen (slurm.accounting in the configuration)", "error", err)
		case err == nil && (out.Changed > 0 || said != ""):
			log.Info("record made equal to slurmdbd's", "runs", out.Runs, "changed", out.Changed, "through", out.Through)
		}
		if said = ""; err != nil {
			said = err.Error()
		}
	}
}

// readRecord reads once; the first time, the last day.
func (s *stack) readRecord(ctx context.Context, im accounting.Import) (importReport, error) {
	client, err := rest.Open(ctx, s.file.REST(), rest.Poll{FullEvery: s.file.Slurm.Refresh})
	if err != nil {
		return importReport{}, err
	}
	out, err := importFrom(ctx, s.db, client, im)
	if errors.Is(err, accounting.ErrNoBeginning) {
		im.Since = time.Now().Add(-accounting.DefaultOverlap)
		out, err = importFrom(ctx, s.db, client, im)
	}
	return out, err
}
