package daemon

import (
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

// Old rows are dropped by the daemon that leads, and by no other.
func TestOnlyTheLeaderPrunes(t *testing.T) {
	db := stores.New(dbtest.NewDB(t))
	f := settings.NewDefaultFile()
	f.Cluster = "c1"
	s := &system.System{File: f, DB: db, Loop: &cycle.Loop{Config: bridge.Config{DaemonName: "host:1"}}}
	dbtest.Exec(t, db.DB, "insert into fairbridge.idle_messages (cluster, user_name, at, state) values ('c1', 'ann', now() - interval '2 years', 'sent')")
	left := func() int {
		dbtest.RequireNoError(t, pruneIfLeading(t.Context(), s))
		return dbtest.CountRows(t, db.DB, "select from fairbridge.idle_messages")
	}
	if left() != 1 {
		t.Error("rows are dropped while no daemon leads")
	}
	lead := func(who string) {
		_, _, leads, err := db.Lead(t.Context(), "c1", who, time.Hour)
		dbtest.RequireNoError(t, err)
		if !leads {
			t.Fatalf("%s does not lead", who)
		}
	}
	if lead("host:2"); left() != 1 {
		t.Error("rows are dropped by a daemon that stands by")
	}
	dbtest.RequireNoError(t, db.Resign(t.Context(), "c1", "host:2"))
	if lead("host:1"); left() != 0 {
		t.Error("the daemon that leads drops nothing")
	}
}
