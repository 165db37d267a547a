package samples

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/gear/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.ClusterName

var (
	must          = dbtest.RequireNoError
	t0            = storetest.StartTime
	view, running = storetest.NewView, storetest.NewRunningJob
)

func fresh(t testing.TB) *Store { return &Store{DB: dbtest.NewDB(t)} }
