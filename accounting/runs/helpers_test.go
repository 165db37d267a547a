package runs

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/predictions"
	"fairbridge/gear/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.ClusterName

var (
	must                = dbtest.RequireNoError
	t0, sec             = storetest.StartTime, storetest.AtSecond
	view, running, with = storetest.NewView, storetest.NewRunningJob, storetest.ChangeJob
)

func fresh(t testing.TB) *Store {
	db := dbtest.NewDB(t)
	return &Store{DB: db, Predictions: &predictions.Store{DB: db}}
}

// texts returns the only column of what a query finds; nil where it finds nothing.
func texts(t *testing.T, d *Store, query string, args ...any) []string {
	t.Helper()
	rows, err := d.DB.Query(t.Context(), query, args...)
	must(t, err)
	out, err := pgx.AppendRows([]string(nil), rows, pgx.RowTo[string])
	must(t, err)
	return out
}
