package spool_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/spool"
	"fairbridge/accounting/stores"
)

// site is a recorder at a real database that can be taken away.
type site struct {
	*spool.Recorder
	t    *testing.T
	conn *pgx.Conn
	log  safe
	stop func()
}

// safe is a buffer that the recorder and the test use at once.
type safe struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safe) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newSite(t *testing.T, dir string, most int64) *site {
	t.Helper()
	d := stores.New(dbtest.NewDB(t))
	conn, err := pgx.Connect(t.Context(), d.Config().ConnString())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	s := &site{t: t, conn: conn}
	s.Recorder = &spool.Recorder{Store: d, Spool: open(t, dir, most), Cluster: "c1", Log: slog.New(slog.NewTextHandler(&s.log, nil)),
		Timeout: time.Minute, RetryEvery: 20 * time.Millisecond}
	s.start()
	return s
}

func (s *site) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	s.stop = sync.OnceFunc(func() { cancel(); <-done })
	s.t.Cleanup(s.stop)
}

func (s *site) exec(sql string) {
	s.t.Helper()
	if _, err := s.conn.Exec(context.Background(), sql); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) count(sql string) (n int) {
	s.t.Helper()
	must(s.t, s.conn.QueryRow(context.Background(), sql).Scan(&n))
	return n
}

func (s *site) until(what string, ok func(spool.RecorderState) bool) {
	s.t.Helper()
	for range 6000 { // a minute, on a busy machine more
		if ok(s.State()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("never %s: %+v\n%s", what, s.State(), s.log.String())
}

func (s *site) outage(on bool) {
	if on {
		s.exec("alter schema fairbridge rename to gone")
	} else {
		s.exec("alter schema gone rename to fairbridge")
	}
}

func TestOutageLosesNothingThatFits(t *testing.T) {
	s := newSite(t, t.TempDir(), 1<<20)
	s.Enqueue(look(0, 8))
	s.until("stored", func(st spool.RecorderState) bool { return st.StoredCount == 8 })
	s.outage(true)
	for i := 1; i <= 10; i++ {
		s.Enqueue(look(i, 8))
	}
	s.until("spooled", func(st spool.RecorderState) bool { return st.SpooledCount == 80 && st.StoreFailure != "" })
	s.outage(false)
	s.until("stored again", func(st spool.RecorderState) bool {
		return st.StoredCount == 88 && st.SpooledCount == 0 && st.StoreFailure == ""
	})
	if n := s.count("select count(*) from fairbridge.gpu_samples"); n != 88 {
		t.Errorf("%d readings in the database", n)
	}
	if lost := s.State().LostCount; lost != 0 || s.count("select count(*) from fairbridge.gpu_gaps") != 0 {
		t.Errorf("%d lost", lost)
	}
	if n := strings.Count(s.log.String(), "\n"); n != 2 {
		t.Errorf("%d lines of log:\n%s", n, s.log.String())
	}
}

func TestOutageSaysWhatItLost(t *testing.T) {
	s := newSite(t, t.TempDir(), 3000)
	s.outage(true)
	const rounds = 60
	for i := range rounds {
		s.Enqueue(look(i, 8))
		s.until("looked at", func(st spool.RecorderState) bool { return st.SpooledCount+int(st.LostCount) == 8*(i+1) })
	}
	s.until("full", func(st spool.RecorderState) bool {
		return st.SpooledCount+int(st.LostCount) == 8*rounds && st.LostCount > 0 && st.SpooledBytes <= 3000
	})
	lost := int(s.State().LostCount)
	s.outage(false)
	s.until("stored", func(st spool.RecorderState) bool { return int(st.StoredCount) == 8*rounds-lost && st.SpooledCount == 0 })
	for range 6000 {
		if s.count("select count(*) from fairbridge_v1.gpu_gaps") > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := s.count("select coalesce(sum(readings), 0)::int from fairbridge_v1.gpu_gaps"); n != lost {
		t.Errorf("the database says %d are lost, it is %d", n, lost)
	}
	if n := s.count("select count(*) from fairbridge.gpu_samples r join fairbridge.gpu_gaps g on r.at between g.since and g.until"); n != 0 {
		t.Errorf("%d readings are there that are said to be lost", n)
	}
	if got := s.count("select count(*) from fairbridge.gpu_samples"); got != 8*rounds-lost {
		t.Errorf("%d are stored, %d lost, of %d", got, lost, 8*rounds)
	}
}

func TestRestartInAnOutage(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, dir, 1<<20)
	s.outage(true)
	for i := range 5 {
		s.Enqueue(look(i, 8))
	}
	s.stop() // with some of them perhaps not yet looked at
	s.Recorder = &spool.Recorder{Store: s.Store, Spool: open(t, dir, 1<<20), Cluster: "c1", Log: s.Log, Timeout: s.Timeout, RetryEvery: s.RetryEvery}
	s.outage(false)
	s.start()
	s.until("stored", func(st spool.RecorderState) bool { return st.StoredCount == 40 && st.SpooledCount == 0 })
	if n := s.count("select count(*) from fairbridge.gpu_samples"); n != 40 {
		t.Errorf("%d readings in the database", n)
	}
}

// A batch that can never be stored must not block those behind it.
func TestRefusedReadingsBlockNothing(t *testing.T) {
	s := newSite(t, t.TempDir(), 1<<20)
	s.outage(true)
	never := look(0, 1)
	never[0].At = time.Date(300000, 1, 1, 0, 0, 0, 0, time.UTC) // beyond what Postgres can date
	s.Enqueue(never)
	s.Enqueue(look(1, 8))
	s.until("spooled", func(st spool.RecorderState) bool { return st.SpooledCount == 9 })
	s.outage(false)
	s.until("stored", func(st spool.RecorderState) bool {
		return st.StoredCount == 8 && st.SpooledCount == 0 && st.LostCount == 1
	})
}
