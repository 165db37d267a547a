package stores

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/pglocal"
	"fairbridge/bridge"
	"fairbridge/gear/storetest"
)

// The connection dies in the middle of the transaction: nothing is stored, and
// the next try works.
func TestGoneMidCycle(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	block, err := d.Begin(ctx)
	must(t, err)
	_, err = block.Exec(ctx, "lock table fairbridge.decision_now in exclusive mode") // after fence and cycle row
	must(t, err)
	done := make(chan error, 1)
	c, intents := storetest.NewCycleOfWaitingJobs(1, epoch, 3), []bridge.Intent{leaseOf(1, epoch)}
	go func() {
		_, err := d.StoreIntents(ctx, c, intents)
		done <- err
	}()
	waitFor(t, func() bool {
		return dbtest.CountRows(t, d.DB, "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
	})
	if err := <-done; !errors.Is(err, accounting.ErrUnreachable) {
		t.Errorf("intend: %v, want accounting.ErrUnreachable", err)
	}
	must(t, block.Rollback(ctx))
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.cycles union all select 1 from fairbridge.intents"); n != 0 {
		t.Errorf("%d rows were left behind", n)
	}
	out, err := d.StoreIntents(ctx, c, intents)
	must(t, err)
	if len(out) != 1 || out[0].ID == 0 {
		t.Errorf("the next try gave %+v", out)
	}
}

func TestALockDoesNotStallACycleForLong(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	block, err := d.Begin(ctx)
	must(t, err)
	defer block.Rollback(ctx)
	_, err = block.Exec(ctx, "lock table fairbridge.cycles in exclusive mode")
	must(t, err)
	_, err = d.StoreIntents(ctx, storetest.NewCycleOfWaitingJobs(1, epoch, 3), nil)
	var said *pgconn.PgError // a statement alone has 10 s, waiting for a lock has 2
	if !errors.As(err, &said) || said.Code != "55P03" {
		t.Errorf("intend under a lock: %v; want the database to say that it waited too long for the lock", err)
	}
}

func TestServerGone(t *testing.T) {
	s, err := pglocal.Start(t.Context())
	if errors.Is(err, pglocal.ErrNoPostgres) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	d := open(t, s.DSN("postgres"))
	_, err = d.Migrate(t.Context())
	must(t, err)
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	out, err := d.StoreIntents(t.Context(), storetest.NewCycleOfWaitingJobs(1, epoch, 1), []bridge.Intent{leaseOf(1, epoch)})
	must(t, err)
	must(t, s.Close())
	in := out[0]
	in.State = bridge.IntentSent
	for name, f := range map[string]func() error{
		"status": func() error { _, err := d.Status(t.Context()); return err },
		"lead":   func() error { _, _, _, err := d.Lead(t.Context(), testCluster, "a", time.Minute); return err },
		"intend": func() error {
			_, err := d.StoreIntents(t.Context(), storetest.NewCycleOfWaitingJobs(2, epoch, 1), nil)
			return err
		},
		"mark":   func() error { return d.UpdateIntent(t.Context(), in) },
		"record": func() error { return d.RecordView(t.Context(), view(t0)) },
		"past":   func() error { _, err := d.Past(t.Context(), testCluster, t0); return err },
	} {
		if err := f(); !errors.Is(err, accounting.ErrUnreachable) {
			t.Errorf("%s without a server: %v, want accounting.ErrUnreachable", name, err)
		}
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("it did not happen within two minutes")
}
