package samples

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.Cluster

var (
	must          = dbtest.RequireNoError
	t0            = storetest.Start
	view, running = storetest.View, storetest.RunningJob
)

func fresh(t testing.TB) *Store { return &Store{DB: dbtest.NewDB(t)} }
