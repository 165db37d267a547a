package accounting_test

import (
	"errors"
	"strings"
	"testing"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/pglocal/pgtest"
)

func TestMigrateUpDownUp(t *testing.T) {
	d := dbtest.Open(t, pgtest.New(t))
	ctx := t.Context()
	if _, err := d.Status(ctx); !errors.Is(err, accounting.ErrNotMigrated) {
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
	had := dbtest.Count(t, d, tables)
	must(t, d.MigrateTo(ctx, 0))
	if left := dbtest.Count(t, d, tables); left != 0 || had == 0 {
		t.Errorf("%d tables before going down to 0, %d after; want some and none", had, left)
	}
	if _, err := d.Status(ctx); !errors.Is(err, accounting.ErrNotMigrated) {
		t.Errorf("status after going down: %v", err)
	}
	if again, err := d.Migrate(ctx); again != n || err != nil {
		t.Errorf("up again: %d applied, %v; want %d", again, err, n)
	}
	for v := s.Want - 1; v >= 0; v-- { // each step down is possible with rows there or not
		must(t, d.MigrateTo(ctx, v))
	}
}

func TestErrorsKeepThePassword(t *testing.T) {
	const canary = "s3cr3t-canary"
	t.Setenv(accounting.EnvDSN, "")
	for _, dsn := range []string{
		"postgres://u:" + canary + "@127.0.0.1:1/db?connect_timeout=1",
		"host=127.0.0.1 port=1 user=u password=" + canary + " dbname=db connect_timeout=1",
		"host=127.0.0.1 port=1 user=u password='" + canary, // cannot be read
		"postgres://u:" + canary + "@[::1/db",
		"host=/nonexistent user=u password=" + canary,
	} {
		d, err := accounting.Open(t.Context(), accounting.Config{DSN: dsn})
		if err == nil {
			_, err = d.Status(t.Context())
			if !errors.Is(err, accounting.ErrUnreachable) {
				t.Errorf("status: %v, want ErrUnreachable", err)
			}
			d.Close()
		}
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("want an error without the password, got %v", err)
		}
	}
	if _, err := accounting.Open(t.Context(), accounting.Config{}); err == nil || !strings.Contains(err.Error(), accounting.EnvDSN) {
		t.Errorf("without a DSN: %v", err)
	}
}
