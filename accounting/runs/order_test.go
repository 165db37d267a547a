package runs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
)

// pastOfSegments returns the past of a cluster on whose disk the segments lie in an order.
func pastOfSegments(t *testing.T, order []int) *bridge.Past {
	t.Helper()
	d := fresh(t)
	for _, i := range order {
		dbtest.Exec(t, d.DB, `insert into fairbridge.run_segments (cluster, job, submit, restarts, node, gpu_type, started, stopped, gpus, part, user_name, account, partition)
			values ($1, $2::int, 1, 0, 'n1', 'a100', $3::timestamptz + $2::int * $2::int * interval '7.000123 s', $3::timestamptz + interval '50000.000457 s', 1 + $2::int % 8, 33, 'u', 'a', 'gpu')`,
			testCluster, i, t0)
	}
	past, err := d.Past(t.Context(), testCluster, sec(30*3600))
	must(t, err)
	return past
}

// TestUseIsTheSameWhereverRowsLie: where the disk has the rows depends on when Postgres cleans up, and the
// last digit of a sum may decide whose job goes first.
func TestUseIsTheSameWhereverRowsLie(t *testing.T) {
	var order []int
	for i := range 60 {
		order = append(order, i)
	}
	forth := pastOfSegments(t, order)
	slices.Reverse(order)
	back := pastOfSegments(t, order)
	if d := cmp.Diff(forth.Accounts, back.Accounts); d != "" || len(forth.Accounts) != 1 {
		t.Error(forth.Accounts, d)
	}
}
