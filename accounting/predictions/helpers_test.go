package predictions_test

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/gear/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.ClusterName

var (
	must                = dbtest.RequireNoError
	t0, sec             = storetest.StartTime, storetest.AtSecond
	view, running, with = storetest.NewView, storetest.NewRunningJob, storetest.ChangeJob
)

func fresh(t testing.TB) *stores.Stores { return stores.New(dbtest.NewDB(t)) }
