package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// do runs a statement that yields one text in a database.
func do(t *testing.T, dsn, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var text string
	if err := conn.QueryRow(t.Context(), statement).Scan(&text); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func TestNewIsFresh(t *testing.T) {
	a, b := NewDatabase(t), NewDatabase(t)
	if da, db := do(t, a, "select current_database()"), do(t, b, "select current_database()"); da == db {
		t.Errorf("two tests share database %s", da)
	}
}

func TestDatabaseIsDroppedAfterTheTest(t *testing.T) {
	var name string
	t.Run("inner", func(t *testing.T) { name = do(t, NewDatabase(t), "select current_database()") })
	dsn := NewDatabase(t)
	if n := do(t, dsn, "select count(*)::text from pg_database where datname = '"+name+"'"); n != "0" {
		t.Errorf("database %s is still there", name)
	}
}

func TestFromFillsOnceAndCopies(t *testing.T) {
	calls := 0
	setup := func(ctx context.Context, dsn string) error {
		calls++
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "create table note (text text); insert into note values ('from the template')")
		return err
	}
	a, b := NewFromTemplate(t, "notes", setup), NewFromTemplate(t, "notes", setup)
	if got := do(t, a, "update note set text = 'changed' returning text"); got != "changed" {
		t.Fatal(got)
	}
	if got := do(t, b, "select text from note"); got != "from the template" || calls != 1 {
		t.Errorf("second copy says %q after %d fillings, want the template's text after one", got, calls)
	}
}

// TestATemplateInUseIsWaitedFor: somebody is in the template for longer than Postgres waits, as a process that ends late on a busy machine.
func TestATemplateInUseIsWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for longer than Postgres does, five seconds; not with -short")
	}
	setup := func(context.Context, string) error { return nil }
	_ = NewFromTemplate(t, "busy", setup)
	late, err := pgx.Connect(t.Context(), requireServer(t).DSN("template_busy"))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(6*time.Second, func() { _ = late.Close(context.Background()) })
	if got := do(t, NewFromTemplate(t, "busy", setup), "select 'a copy'"); got != "a copy" {
		t.Error(got)
	}
}
