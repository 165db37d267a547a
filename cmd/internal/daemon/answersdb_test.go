package daemon

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
)

// holdAllConns takes all connections of a database, as questions that take long do.
func holdAllConns(t *testing.T, db *stores.Stores) (giveBack func()) {
	t.Helper()
	var ends []func()
	for range db.Config().MaxConns {
		c, err := db.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, c.Release)
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// TestQuestionsKeepNotTheLoopFromItsDatabase: users' questions hold connections of their own only,
// and the loop's are of no use to them.
func TestQuestionsKeepNotTheLoopFromItsDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	d, err := newAPIDaemonOver(t, dbtest.NewDB(t).Config().ConnString(), "socket: "+path)
	if err != nil {
		t.Fatal(err)
	}
	var timeout string
	if err := d.answersDB.QueryRow(t.Context(), "show statement_timeout").Scan(&timeout); err != nil || timeout != "5s" {
		t.Errorf("a statement of users may take %s: %v", timeout, err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- d.runServices(ctx) }()

	giveBack := holdAllConns(t, d.answersDB)
	if _, _, _, err := d.DB.Lead(t.Context(), "c", "host:1", time.Hour); err != nil {
		t.Errorf("the loop while users ask: %v", err)
	}
	giveBack()
	giveBack = holdAllConns(t, d.DB)
	if status, body := askSocket(t, path, "/v1/changes"); status != http.StatusOK {
		t.Errorf("users while the loop works: %d %s", status, body)
	}
	giveBack()
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
