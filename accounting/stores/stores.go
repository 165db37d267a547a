// Package stores opens what is kept in one database, subject by subject.
package stores

import (
	"context"

	"fairbridge/accounting"
	"fairbridge/accounting/estimates"
	"fairbridge/accounting/guard"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/operations"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/reminders"
	"fairbridge/accounting/report"
	"fairbridge/accounting/runs"
	"fairbridge/accounting/samples"
	"fairbridge/accounting/speeds"
	"fairbridge/accounting/studies"
	"fairbridge/bridge"
)

// The stores by subject, as fields of Stores.
type (
	Journal     = journal.Store
	Runs        = runs.Store
	Samples     = samples.Store
	Predictions = predictions.Store
	Estimates   = estimates.Store
	Guard       = guard.Store
	Operations  = operations.Store
	Speeds      = speeds.Store
	Reports     = report.Store
	Reminders   = reminders.Store
	Studies     = studies.Store
)

// Stores are all stores of one database. They fill every port of package bridge
// that looks at the past.
type Stores struct {
	*accounting.DB
	*Journal
	*Runs
	*Samples
	*Predictions
	*Estimates
	*Guard
	*Operations
	*Speeds
	*Reports
	*Reminders
	*Studies
}

// Open opens the database and all its stores, as accounting.Open does.
func Open(ctx context.Context, c accounting.Config) (*Stores, error) {
	db, err := accounting.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return New(db), nil
}

// New makes all stores of a database.
func New(db *accounting.DB) *Stores {
	p := &predictions.Store{DB: db}
	v := &speeds.Store{DB: db}
	return &Stores{db, &journal.Store{DB: db}, &runs.Store{DB: db, Predictions: p, Speeds: v}, &samples.Store{DB: db}, p, &estimates.Store{DB: db}, &guard.Store{DB: db}, &operations.Store{DB: db}, v, &report.Store{DB: db}, &reminders.Store{DB: db}, &studies.Store{DB: db}}
}

var (
	_ bridge.Journal         = (*Stores)(nil)
	_ bridge.Leadership      = (*Stores)(nil)
	_ bridge.History         = (*Stores)(nil)
	_ bridge.ExpirerStatus   = (*Stores)(nil)
	_ bridge.LeaderWatch     = (*Stores)(nil)
	_ bridge.Demotions       = (*Stores)(nil)
	_ bridge.OperatorActions = (*Stores)(nil)
)
