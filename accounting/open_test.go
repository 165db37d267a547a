package accounting

import (
	"context"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/bridge"
	"fairbridge/bridge/storetest"
	"fairbridge/policy"
)

// What the tests of any store write about.
const testCluster = storetest.Cluster

var (
	t0, sec                      = storetest.T0, storetest.Sec
	leaseOf, view, running, with = storetest.LeaseOf, storetest.View, storetest.Running, storetest.With
)

// fresh returns a migrated database of its own.
func fresh(t testing.TB) *DB {
	t.Helper()
	return open(t, pgtest.From(t, "accounting", func(ctx context.Context, dsn string) error {
		d, err := Open(ctx, Config{DSN: dsn})
		if err != nil {
			return err
		}
		defer d.Close()
		_, err = d.Migrate(ctx)
		return err
	}))
}

func open(t testing.TB, dsn string) *DB {
	t.Helper()
	d, err := Open(context.Background(), Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// count returns how many rows a query finds.
func count(t testing.TB, d *DB, query string, args ...any) int {
	t.Helper()
	var n int
	must(t, d.pool.QueryRow(t.Context(), "select count(*) from ("+query+") q", args...).Scan(&n))
	return n
}

// dump returns all rows of a table as text, sorted, without columns that say
// when we wrote.
func dump(t testing.TB, d *DB, table, without string) string {
	t.Helper()
	var s string
	must(t, d.pool.QueryRow(t.Context(), "select coalesce(string_agg(r, E'\\n' order by r), '') from (select (to_jsonb(x) - string_to_array($1, ','))::text r from fairbridge."+table+" x) q", without).Scan(&s))
	return s
}

// lead makes the test the leader and returns the epoch.
func lead(t testing.TB, d *DB, me string) int64 {
	t.Helper()
	epoch, _, ok, err := d.Lead(t.Context(), testCluster, me, time.Minute)
	must(t, err)
	if !ok {
		t.Fatalf("%s does not lead", me)
	}
	return epoch
}

// cycleOf returns a cycle whose plan has n waiting jobs.
func cycleOf(seq uint64, epoch int64, n int) *bridge.Cycle {
	c := storetest.CycleOf(seq, epoch, "d1")
	for i := range n {
		c.Plan.Decisions = append(c.Plan.Decisions, policy.Decision{Job: policy.JobID(i + 1), Verb: policy.Wait, Rank: i + 1, GPUs: 1, Why: "3 jobs are ahead, the first with 12.50 GPU-h less used"})
	}
	return c
}
