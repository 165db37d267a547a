package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/accounting/runs/reconcile"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
)

// RecordSource is where rows of slurmdbd are read from.
type RecordSource interface {
	// Jobs returns every row that was eligible before to and had not ended by
	// from; bad names those that make no sense.
	Jobs(ctx context.Context, from, to time.Time) (rows []slurmdb.Job, bad []error, err error)
}

// Import says what is read from an authority. Zero fields mean the defaults.
type Import struct {
	Cluster string
	// Since is where to begin; zero: where the last import ended. What was read
	// already is passed over, unless Again.
	Since, Until time.Time
	ReadsAgain   bool
	// WindowLength is how much is read and stored at once; default a day.
	WindowLength time.Duration
	// Overlap is how far before the end of the last import reading begins,
	// because slurmctld may report late; default a day.
	Overlap time.Duration
	// MinPause is the shortest pause between windows. One is at least as long as
	// the authority took to answer, so that it works for us half the time at
	// most. Default 200 ms.
	MinPause time.Duration
	// TypeByNode is the type of the GPUs of nodes that have only one.
	TypeByNode map[string]string
	// OnProgress, if set, is called after each window with how far reading has
	// come from the beginning.
	OnProgress func(done, of time.Duration)
}

// Defaults of an import.
const (
	DefaultWindow  = 24 * time.Hour
	DefaultOverlap = 24 * time.Hour
	defaultPause   = 200 * time.Millisecond
)

// ErrNoImportStart means that nothing was imported before, so that somebody must
// say where to begin.
var ErrNoImportStart = errors.New("nothing was imported yet: say since when to read")

// ImportResult is what an import did.
type ImportResult struct {
	Since       time.Time `json:"since"` // where reading began
	Through     time.Time `json:"through"`
	WindowCount int       `json:"windows"`
	StoreCounts
	Bad      []string `json:"bad,omitempty"` // records that made no sense and were passed over, each once
	knownBad map[string]bool
}

// AddBad names records that make no sense.
func (r *ImportResult) AddBad(bad []error) {
	for _, err := range bad {
		if r.knownBad == nil {
			r.knownBad = map[string]bool{}
		}
		if text := err.Error(); !r.knownBad[text] {
			r.knownBad[text], r.Bad = true, append(r.Bad, text)
		}
	}
}

// Import reads what the authority has of the time up to Until and makes it
// stand. Each window is stored whole and remembered, so that an import that
// was interrupted goes on where it was. On an error, what is returned says how
// far it came.
func (s *Store) Import(ctx context.Context, from RecordSource, im Import) (ImportResult, error) {
	if err := im.fillDefaults(); err != nil {
		return ImportResult{}, err
	}
	since, err := s.findImportStart(ctx, im)
	out := ImportResult{Since: since, Through: since}
	if err != nil {
		return out, err
	}
	for at := since; at.Before(im.Until); {
		to := at.Add(im.WindowLength)
		if to.After(im.Until) {
			to = im.Until
		}
		began := time.Now()
		rows, bad, err := from.Jobs(ctx, at, to)
		if err != nil {
			return out, fmt.Errorf("records from %s to %s: %w", at.Format(time.RFC3339), to.Format(time.RFC3339), err)
		}
		took := time.Since(began)
		counts, err := s.StoreRecords(ctx, Records{Cluster: im.Cluster, ChangedAt: im.Until, Since: at, Through: to, Rows: rows, TypeByNode: im.TypeByNode})
		if err != nil {
			return out, err
		}
		out.Add(counts)
		out.AddBad(bad)
		out.WindowCount, out.Through, at = out.WindowCount+1, to, to
		if im.OnProgress != nil {
			im.OnProgress(at.Sub(since), im.Until.Sub(since))
		}
		if at.Before(im.Until) && !waitUnlessDone(ctx, max(im.MinPause, took)) {
			return out, ctx.Err()
		}
	}
	return out, nil
}

// fillDefaults fills in defaults. Times are whole seconds, as slurmdbd's are.
func (im *Import) fillDefaults() error {
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{{&im.WindowLength, DefaultWindow}, {&im.Overlap, DefaultOverlap}, {&im.MinPause, defaultPause}} {
		if *d.value <= 0 {
			*d.value = d.or
		}
	}
	if im.Until.IsZero() {
		im.Until = time.Now()
	}
	im.Since, im.Until = im.Since.UTC().Truncate(time.Second), im.Until.UTC().Truncate(time.Second)
	if im.WindowLength < time.Second || !im.Since.Before(im.Until) {
		return fmt.Errorf("importing from %s to %s by %v: there is nothing between", im.Since.Format(time.RFC3339), im.Until.Format(time.RFC3339), im.WindowLength)
	}
	return nil
}

// findImportStart returns where reading begins.
func (s *Store) findImportStart(ctx context.Context, im Import) (time.Time, error) {
	if im.ReadsAgain && !im.Since.IsZero() {
		return im.Since, nil
	}
	through, err := s.ImportedThrough(ctx, im.Cluster, im.Since)
	switch {
	case err != nil:
		return im.Since, err
	case through.IsZero() && im.Since.IsZero():
		return im.Since, ErrNoImportStart
	case through.IsZero():
		return im.Since, nil
	}
	return policy.Later(im.Since, through.Add(-im.Overlap)), nil
}

// waitUnlessDone waits; false if it was told to stop.
func waitUnlessDone(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// rowsPerBatch is how many rows of a list are stored at once.
const rowsPerBatch = 5000

// ImportRows makes rows of an authority stand of which it is not known for
// which times they are complete. Progress, if set, is told of rows.
func (s *Store) ImportRows(ctx context.Context, rows []slurmdb.Job, im Import, progress func(done, of int)) (StoreCounts, error) {
	var out StoreCounts
	rows = reconcile.SortByJob(rows)
	for from := 0; from < len(rows); {
		to := min(from+rowsPerBatch, len(rows))
		for to < len(rows) && rows[to].ID == rows[to-1].ID {
			to++
		}
		counts, err := s.StoreRecords(ctx, Records{Cluster: im.Cluster, ChangedAt: im.Until, Rows: rows[from:to], TypeByNode: im.TypeByNode})
		if err != nil {
			return out, err
		}
		out.Add(counts)
		if from = to; progress != nil {
			progress(from, len(rows))
		}
	}
	return out, nil
}
