package stores

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/gear/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.ClusterName

var (
	must                         = dbtest.RequireNoError
	t0, sec                      = storetest.StartTime, storetest.AtSecond
	leaseOf, view, running, with = storetest.NewLeaseIntent, storetest.NewView, storetest.NewRunningJob, storetest.ChangeJob
)

func fresh(t testing.TB) *Stores { return New(dbtest.NewDB(t)) }

func open(t testing.TB, dsn string) *Stores { return New(dbtest.OpenDB(t, dsn)) }
