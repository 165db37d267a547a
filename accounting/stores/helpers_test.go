package stores

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.Cluster

var (
	must                         = dbtest.RequireNoError
	t0, sec                      = storetest.Start, storetest.At
	leaseOf, view, running, with = storetest.LeaseOf, storetest.View, storetest.RunningJob, storetest.WithChange
)

func fresh(t testing.TB) *Stores { return New(dbtest.NewDB(t)) }

func open(t testing.TB, dsn string) *Stores { return New(dbtest.OpenDB(t, dsn)) }
