package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
)

// database makes the database: ready, empty, or none at all.
func (s *site) database(ts *testscript.TestScript, state string) {
	switch state {
	case "ready":
		s.dsn = pgtest.NewFromTemplate(s.t, "ready", migrated)
	case "empty":
		s.dsn = pgtest.NewDatabase(s.t)
	case "none":
		c, err := pgx.ParseConfig(pgtest.NewDatabase(s.t))
		ts.Check(err)
		s.dsn = strings.ReplaceAll(c.ConnString(), c.Database, "nowhere")
	}
	write(ts, "dsn", s.dsn+"\n")
}

func migrated(ctx context.Context, dsn string) error {
	db, err := stores.Open(ctx, accounting.Config{DSN: dsn})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx)
	return err
}

// sql changes the database behind our back.
func (s *site) sql(ts *testscript.TestScript, args []string) {
	c, err := pgx.Connect(s.t.Context(), s.dsn)
	ts.Check(err)
	defer c.Close(context.WithoutCancel(s.t.Context()))
	_, err = c.Exec(s.t.Context(), args[0])
	ts.Check(err)
}

// open connects to the site's database.
func (s *site) open(ts *testscript.TestScript) *stores.Stores {
	db, err := stores.Open(s.t.Context(), accounting.Config{DSN: s.dsn})
	ts.Check(err)
	return db
}

// rival lets another daemon lead.
func (s *site) rival(ts *testscript.TestScript, args []string) {
	db := s.open(ts)
	defer db.Close()
	_, _, held, err := db.Lead(s.t.Context(), "sim", args[0], time.Hour)
	ts.Check(err)
	if !held {
		ts.Fatalf("%s cannot lead", args[0])
	}
}

// cycles waits until so many cycles are stored.
func (s *site) cycles(ts *testscript.TestScript, args []string) {
	db := s.open(ts)
	defer db.Close()
	want, err := strconv.ParseUint(args[0], 10, 64)
	ts.Check(err)
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		m, err := db.Memo(s.t.Context(), "sim", &bridge.Partition{Name: "gpu"})
		ts.Check(err)
		if m.CycleSeq >= want {
			return
		}
	}
	ts.Fatalf("fewer than %d cycles are stored after five minutes", want)
}
