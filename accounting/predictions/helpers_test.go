package predictions_test

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.Cluster

var (
	must                = dbtest.RequireNoError
	t0, sec             = storetest.Start, storetest.At
	view, running, with = storetest.View, storetest.RunningJob, storetest.WithChange
)

func fresh(t testing.TB) *stores.Stores { return stores.New(dbtest.NewDB(t)) }
