package runs

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/predictions"
	"fairbridge/bridge/storetest"
)

// What the tests of any store write about.
const testCluster = storetest.Cluster

var (
	must                = dbtest.Must
	t0, sec             = storetest.Start, storetest.At
	view, running, with = storetest.View, storetest.RunningJob, storetest.WithChange
)

func fresh(t testing.TB) *Store {
	db := dbtest.New(t)
	return &Store{DB: db, Predictions: &predictions.Store{DB: db}}
}
