package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"fairbridge/accounting/localjournal"
)

// openLocalJournal notes every intent in a local file too, so that release works
// without Postgres.
func (d *daemon) openLocalJournal(ctx context.Context) error {
	path := d.File.Journal
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the directory of the local journal (journal in the configuration): %w", err)
	}
	j, err := localjournal.Open(path)
	if err != nil {
		return fmt.Errorf("%w (journal in the configuration: %s)", err, path)
	}
	if err := j.DamageError(); err != nil {
		d.log.Warn("the local journal has unreadable lines", "error", err)
	}
	tee := &localjournal.Tee{DB: d.DB, Local: j}
	if _, err := tee.UpdateDatabase(ctx, d.File.Cluster); err != nil {
		d.log.Warn("what a release without Postgres undid is not in the database yet", "error", err)
	}
	d.Loop.Journal = tee
	d.addCloser("journal", func() { _ = j.Close() })
	return nil
}
