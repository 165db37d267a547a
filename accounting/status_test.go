package accounting

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"fairbridge/accounting/pglocal/pgtest"
)

func TestMigrateUpDownUp(t *testing.T) {
	d := open(t, pgtest.New(t))
	ctx := t.Context()
	if _, err := d.Status(ctx); !errors.Is(err, ErrNotMigrated) {
		t.Fatalf("status of an empty database: %v, want ErrNotMigrated", err)
	}
	n, err := d.Migrate(ctx)
	must(t, err)
	if n == 0 {
		t.Fatal("nothing was applied")
	}
	s, err := d.Status(ctx)
	must(t, err)
	if s.Have != s.Want || s.ReadOnly {
		t.Errorf("status after migrating: %+v", s)
	}
	if n, err := d.Migrate(ctx); n != 0 || err != nil {
		t.Errorf("migrating again: %d applied, %v", n, err)
	}
	tables := "select 1 from information_schema.tables where table_schema like 'fairbridge%' and table_name <> 'schema_version'"
	had := count(t, d, tables)
	must(t, d.MigrateTo(ctx, 0))
	if left := count(t, d, tables); left != 0 || had == 0 {
		t.Errorf("%d tables before going down to 0, %d after; want some and none", had, left)
	}
	if _, err := d.Status(ctx); !errors.Is(err, ErrNotMigrated) {
		t.Errorf("status after going down: %v", err)
	}
	if again, err := d.Migrate(ctx); again != n || err != nil {
		t.Errorf("up again: %d applied, %v; want %d", again, err, n)
	}
	for v := int64(newest()) - 1; v >= 0; v-- { // each step down is possible with rows there or not
		must(t, d.MigrateTo(ctx, v))
	}
}

func TestStatusOfUnfitDatabases(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	t.Run("newer than the binary", func(t *testing.T) {
		_, err := d.pool.Exec(ctx, "insert into fairbridge.schema_version (version_id, is_applied) values (9999, true)")
		must(t, err)
		if _, err := d.Status(ctx); !errors.Is(err, ErrNewer) {
			t.Errorf("status: %v, want ErrNewer", err)
		}
		if n, err := d.Migrate(ctx); n != 0 || !errors.Is(err, ErrNewer) {
			t.Errorf("migrate: %d applied, %v; want none and ErrNewer", n, err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		ro := open(t, withParam(t, d, "default_transaction_read_only", "on"))
		if _, err := ro.Status(ctx); !errors.Is(err, ErrNewer) { // the first thing wrong is told
			t.Errorf("status: %v", err)
		}
		_, err := d.pool.Exec(ctx, "delete from fairbridge.schema_version where version_id = 9999")
		must(t, err)
		if _, err := ro.Status(ctx); !errors.Is(err, ErrReadOnly) {
			t.Errorf("status: %v, want ErrReadOnly", err)
		}
		if _, _, _, err := ro.Lead(ctx, testCluster, "me", 1); !errors.Is(err, ErrReadOnly) {
			t.Errorf("lead: %v, want ErrReadOnly", err)
		}
		if err := ro.Record(ctx, view(t0)); !errors.Is(err, ErrReadOnly) {
			t.Errorf("record: %v, want ErrReadOnly", err)
		}
	})
	t.Run("missing", func(t *testing.T) {
		c := d.pool.Config().ConnConfig
		gone := open(t, "host="+c.Host+" user="+c.User+" dbname=nowhere")
		if _, err := gone.Status(ctx); !errors.Is(err, ErrNoDatabase) {
			t.Errorf("status: %v, want ErrNoDatabase", err)
		}
	})
	t.Run("not migrated", func(t *testing.T) {
		empty := open(t, pgtest.New(t))
		if err := empty.Record(ctx, view(t0)); !errors.Is(err, ErrNotMigrated) {
			t.Errorf("record: %v, want ErrNotMigrated", err)
		}
	})
}

// withParam returns the DSN of d's database with a run-time parameter set.
func withParam(t *testing.T, d *DB, key, value string) string {
	t.Helper()
	c := d.pool.Config().ConnConfig
	return "postgres://" + url.PathEscape(c.User) + "@/" + c.Database + "?host=" + url.QueryEscape(c.Host) + "&" + key + "=" + value
}

func TestErrorsKeepThePassword(t *testing.T) {
	const canary = "s3cr3t-canary"
	t.Setenv(EnvDSN, "")
	for _, dsn := range []string{
		"postgres://u:" + canary + "@127.0.0.1:1/db?connect_timeout=1",
		"host=127.0.0.1 port=1 user=u password=" + canary + " dbname=db connect_timeout=1",
		"host=127.0.0.1 port=1 user=u password='" + canary, // cannot be read
		"postgres://u:" + canary + "@[::1/db",
		"host=/nonexistent user=u password=" + canary,
	} {
		d, err := Open(t.Context(), Config{DSN: dsn})
		if err == nil {
			_, err = d.Status(t.Context())
			if !errors.Is(err, ErrUnreachable) {
				t.Errorf("status: %v, want ErrUnreachable", err)
			}
			d.Close()
		}
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("want an error without the password, got %v", err)
		}
	}
	if _, err := Open(t.Context(), Config{}); !errors.Is(err, errNoDSN) {
		t.Errorf("without a DSN: %v", err)
	}
}
