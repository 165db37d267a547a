package stores

import (
	"errors"
	"net/url"
	"testing"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
)

func TestStatusOfUnfitDatabases(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	t.Run("newer than the binary", func(t *testing.T) {
		_, err := d.Exec(ctx, "insert into fairbridge.schema_version (version_id, is_applied) values (9999, true)")
		must(t, err)
		if _, err := d.Status(ctx); !errors.Is(err, accounting.ErrSchemaNewer) {
			t.Errorf("status: %v, want accounting.ErrNewer", err)
		}
		if n, err := d.Migrate(ctx); n != 0 || !errors.Is(err, accounting.ErrSchemaNewer) {
			t.Errorf("migrate: %d applied, %v; want none and accounting.ErrNewer", n, err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		ro := open(t, withParam(t, d, "default_transaction_read_only", "on"))
		if _, err := ro.Status(ctx); !errors.Is(err, accounting.ErrSchemaNewer) { // the first thing wrong is told
			t.Errorf("status: %v", err)
		}
		_, err := d.Exec(ctx, "delete from fairbridge.schema_version where version_id = 9999")
		must(t, err)
		if _, err := ro.Status(ctx); !errors.Is(err, accounting.ErrReadOnly) {
			t.Errorf("status: %v, want accounting.ErrReadOnly", err)
		}
		if _, _, _, err := ro.Lead(ctx, testCluster, "me", 1); !errors.Is(err, accounting.ErrReadOnly) {
			t.Errorf("lead: %v, want accounting.ErrReadOnly", err)
		}
		if err := ro.RecordView(ctx, view(t0)); !errors.Is(err, accounting.ErrReadOnly) {
			t.Errorf("record: %v, want accounting.ErrReadOnly", err)
		}
	})
	t.Run("missing", func(t *testing.T) {
		c := d.Config().ConnConfig
		gone := open(t, "host="+c.Host+" user="+c.User+" dbname=nowhere")
		if _, err := gone.Status(ctx); !errors.Is(err, accounting.ErrNoDatabase) {
			t.Errorf("status: %v, want accounting.ErrNoDatabase", err)
		}
	})
	t.Run("not migrated", func(t *testing.T) {
		empty := open(t, pgtest.NewDatabase(t))
		if err := empty.RecordView(ctx, view(t0)); !errors.Is(err, accounting.ErrNotMigrated) {
			t.Errorf("record: %v, want accounting.ErrNotMigrated", err)
		}
	})
}

// withParam returns the DSN of d's database with a run-time parameter set.
func withParam(t *testing.T, d *Stores, key, value string) string {
	t.Helper()
	c := d.Config().ConnConfig
	return "postgres://" + url.PathEscape(c.User) + "@/" + c.Database + "?host=" + url.QueryEscape(c.Host) + "&" + key + "=" + value
}
