// Package pgtest gives each test a fresh database on one private Postgres shared by the test binary.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/pglocal"
)

// The server is not closed: it ends with the test binary.
var server = sync.OnceValues(func() (*pglocal.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return pglocal.Start(ctx)
})

var serial atomic.Int64

// New returns the connection string of a fresh, empty database, dropped when the test ends. Without Postgres on this
// machine the test is skipped, or fails if FAIRBRIDGE_REQUIRE_PG=1.
func New(t testing.TB) string {
	t.Helper()
	return create(t, "template1")
}

var (
	templatesMu sync.Mutex
	templates   = map[string]error{}
)

// From returns the connection string of a fresh copy of a template database, which setup fills once per name and test
// binary. It saves running all migrations for every test. setup must close its connections.
func From(t testing.TB, name string, setup func(ctx context.Context, dsn string) error) string {
	t.Helper()
	s := running(t)
	templatesMu.Lock()
	defer templatesMu.Unlock()
	err, done := templates[name]
	if !done {
		err = fill(t.Context(), s, name, setup)
		templates[name] = err
	}
	if err != nil {
		t.Fatalf("filling template database %s: %v", name, err)
	}
	return create(t, "template_"+name)
}

func fill(ctx context.Context, s *pglocal.Server, name string, setup func(context.Context, string) error) error {
	database := "template_" + name
	if err := admin(ctx, s, "create database "+pgx.Identifier{database}.Sanitize()); err != nil {
		return err
	}
	return setup(ctx, s.DSN(database))
}

func create(t testing.TB, template string) string {
	t.Helper()
	s := running(t)
	name := fmt.Sprintf("test%d", serial.Add(1))
	id := pgx.Identifier{name}.Sanitize()
	if err := admin(t.Context(), s, "create database "+id+" template "+pgx.Identifier{template}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin(context.Background(), s, "drop database if exists "+id+" with (force)"); err != nil {
			t.Error(err)
		}
	})
	return s.DSN(name)
}

func running(t testing.TB) *pglocal.Server {
	t.Helper()
	s, err := server()
	if errors.Is(err, pglocal.ErrNoPostgres) && os.Getenv("FAIRBRIDGE_REQUIRE_PG") != "1" {
		t.Skipf("needs Postgres: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func admin(ctx context.Context, s *pglocal.Server, statement string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
