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
	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting/pglocal"
)

// The server is not closed: it ends with the test binary.
var sharedServer = sync.OnceValues(func() (*pglocal.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // a second on an idle machine
	defer cancel()
	return pglocal.Start(ctx)
})

var lastDatabaseNumber atomic.Int64

// NewDatabase returns the connection string of a fresh, empty database, dropped when the test ends. Without Postgres on
// this machine, and with -short, the test is skipped. If FAIRBRIDGE_REQUIRE_PG=1 it runs with -short too, and fails
// without Postgres.
func NewDatabase(t testing.TB) string {
	t.Helper()
	return createDatabase(t, "template1")
}

var (
	templatesMu     sync.Mutex
	errorByTemplate = map[string]error{}
)

// NewFromTemplate returns the connection string of a fresh copy of a template database, which setup fills
// once per name and test binary. It saves running all migrations for every test. setup must close its
// connections.
func NewFromTemplate(t testing.TB, name string, setup func(ctx context.Context, dsn string) error) string {
	t.Helper()
	s := requireServer(t)
	templatesMu.Lock()
	defer templatesMu.Unlock()
	err, done := errorByTemplate[name]
	if !done {
		err = fillTemplate(t.Context(), s, name, setup)
		errorByTemplate[name] = err
	}
	if err != nil {
		t.Fatalf("filling template database %s: %v", name, err)
	}
	return createDatabase(t, "template_"+name)
}

func fillTemplate(
	ctx context.Context,
	s *pglocal.Server,
	name string,
	setup func(context.Context, string) error,
) error {
	database := "template_" + name
	if err := execAsAdmin(ctx, s, "create database "+pgx.Identifier{database}.Sanitize()); err != nil {
		return err
	}
	return setup(ctx, s.DSN(database))
}

func createDatabase(t testing.TB, template string) string {
	t.Helper()
	s := requireServer(t)
	name := fmt.Sprintf("test%d", lastDatabaseNumber.Add(1))
	id := pgx.Identifier{name}.Sanitize()
	if err := execAsAdmin(t.Context(), s, "create database "+id+" template "+pgx.Identifier{template}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execAsAdmin(context.Background(), s, "drop database if exists "+id+" with (force)"); err != nil {
			t.Error(err)
		}
	})
	return s.DSN(name)
}

func requireServer(t testing.TB) *pglocal.Server {
	t.Helper()
	isRequired := os.Getenv("FAIRBRIDGE_REQUIRE_PG") == "1"
	if testing.Short() && !isRequired {
		t.Skip("needs Postgres: left to make test")
	}
	s, err := sharedServer()
	if errors.Is(err, pglocal.ErrNoPostgres) && !isRequired {
		t.Skipf("needs Postgres: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func execAsAdmin(ctx context.Context, s *pglocal.Server, statement string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for end := time.Now().Add(patience); ; {
		if _, err = conn.Exec(ctx, statement); !isInUse(err) || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// patience is how long a database may be in use that is copied or dropped.
const patience = 2 * time.Minute

// isInUse reports whether Postgres says that a process of its own still is in the database: one whose client
// has left, or that vacuums. It tells it to end and waits for it, but for five seconds only, in which on a
// busy machine it may not have its turn.
func isInUse(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "55006"
}
