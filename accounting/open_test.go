package accounting

import (
	"context"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

const testCluster = "c1"

// t0 is when the tests happen.
var t0 = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

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
	p := &policy.Plan{Basis: seq, Policy: "fifo", Memo: policy.MemoOf([]byte(`{"b":1, "a":[2]}`))}
	for i := range n {
		p.Decisions = append(p.Decisions, policy.Decision{Job: policy.JobID(i + 1), Verb: policy.Wait, Rank: i + 1, GPUs: 1, Why: "3 jobs are ahead, the first with 12.50 GPU-h less used"})
	}
	return &bridge.Cycle{
		Cluster: testCluster, Seq: seq, Epoch: epoch, At: t0.Add(time.Duration(seq) * time.Minute), Partition: "gpu", Mode: bridge.Rank,
		Policy: "fifo", Params: "{}", Snapshot: []byte(`{"seq":1}`), Digest: "d1", Plan: p, Took: map[string]string{"decide": "1ms"},
	}
}

// view returns what Slurm shows at a time.
func view(at time.Time, jobs ...slurm.Job) *slurm.View {
	return &slurm.View{Cluster: testCluster, Release: "26.05.5", API: "v0.0.45", At: at, Full: true, Jobs: jobs}
}

// running returns a job that runs on 4 GPUs of n1 since start.
func running(id int64, submit, start time.Time) slurm.Job {
	return slurm.Job{
		ID: id, Name: "train", User: "ann", Account: "phys", Partitions: []string{"gpu"}, State: "RUNNING", Submit: submit, Start: start,
		Limit: time.Hour, Nodes: slurm.ReadHosts("n1"), Gres: slurm.ReadDetail([]string{"gpu:a100:4(IDX:0-3)"}), Allocated: slurm.ReadTRES("cpu=8,gres/gpu=4,gres/gpu:a100=4"), Batch: true, Requeue: true,
	}
}
