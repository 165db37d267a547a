package accounting_test

import (
	"errors"
	"strings"
	"testing"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/pglocal/pgtest"
)

func TestMigrate(t *testing.T) {
	d := dbtest.OpenDB(t, pgtest.NewDatabase(t))
	ctx := t.Context()
	if _, err := d.Status(ctx); !errors.Is(err, accounting.ErrNoSchema) || !strings.Contains(err.Error(), "db init") {
		t.Fatalf("status of an empty database: %v, want ErrNoSchema", err)
	}
	n, err := d.Migrate(ctx)
	must(t, err)
	if n == 0 {
		t.Fatal("nothing was applied")
	}
	s, err := d.Status(ctx)
	must(t, err)
	if s.AppliedVersion != s.KnownVersion || s.ReadOnly {
		t.Errorf("status after migrating: %+v", s)
	}
	if n, err := d.Migrate(ctx); n != 0 || err != nil {
		t.Errorf("migrating again: %d applied, %v", n, err)
	}
}

// TestUnreleasedDatabase: a database of a version before the first release is left
// alone, and what to do is said.
func TestUnreleasedDatabase(t *testing.T) {
	d := dbtest.OpenDB(t, pgtest.NewDatabase(t))
	ctx := t.Context()
	for _, statement := range []string{
		"create schema fairbridge", "create table fairbridge.job_runs (job bigint)",
		"create table fairbridge.schema_version (id int generated always as identity, version_id bigint not null, is_applied boolean not null, tstamp timestamp default now())",
		"insert into fairbridge.schema_version (version_id, is_applied) values (0, true), (1, true), (7, true), (36, true)",
	} {
		dbtest.Exec(t, d, statement)
	}
	if _, err := d.Status(ctx); !errors.Is(err, accounting.ErrSchemaUnreleased) || !strings.Contains(err.Error(), "drop schema fairbridge, fairbridge_v1 cascade") {
		t.Errorf("status: %v, want ErrUnreleased and what to do", err)
	}
	if n, err := d.Migrate(ctx); n != 0 || !errors.Is(err, accounting.ErrSchemaUnreleased) {
		t.Errorf("migrate: %d applied, %v; want none and ErrUnreleased", n, err)
	}
	dbtest.Exec(t, d, "drop schema if exists fairbridge, fairbridge_v1 cascade")
	if n, err := d.Migrate(ctx); n == 0 || err != nil {
		t.Errorf("after doing it: %d applied, %v", n, err)
	}
}

func TestErrorsKeepThePassword(t *testing.T) {
	const canary = "s3cr3t-canary"
	t.Setenv(accounting.DSNVariable, "")
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
	if _, err := accounting.Open(t.Context(), accounting.Config{}); err == nil || !strings.Contains(err.Error(), accounting.DSNVariable) {
		t.Errorf("without a DSN: %v", err)
	}
}

// TestCommitsAreKept: what was committed survives a crash of the server, also of one that is set to forget.
func TestCommitsAreKept(t *testing.T) {
	d := dbtest.NewDB(t) // of a server with synchronous_commit=off
	var got string
	err := d.QueryRow(t.Context(), "select current_setting('synchronous_commit')").Scan(&got)
	if err != nil || got != "on" {
		t.Errorf("synchronous_commit is %q, %v", got, err)
	}
}
