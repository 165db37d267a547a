package report

import (
	"context"
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/runs"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.ClusterName

var (
	must          = dbtest.RequireNoError
	view, running = storetest.NewView, storetest.NewRunningJob
)

func fresh(t testing.TB) *Store { return &Store{DB: dbtest.NewDB(t)} }

// record stores what Slurm shows.
func record(d *Store, ctx context.Context, v *slurm.View) error {
	return (&runs.Store{DB: d.DB}).RecordView(ctx, v)
}
