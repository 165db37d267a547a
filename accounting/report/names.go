package report

import (
	"context"
	"fmt"
	"strings"

	"fairbridge/sql"
)

// UnknownNameError says that no run of the account or user of a scope is recorded.
type UnknownNameError struct {
	Kind, Name string   // "account" or "user", and which
	Known      []string // the first of those with runs, by name
}

// Error implements error.
func (e *UnknownNameError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no run of %s %q is recorded, nor of any other", e.Kind, e.Name)
	}
	return fmt.Sprintf("no run of %s %q is recorded; there are runs of %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
}

var qNamesOfRuns = sql.QueryText("names_of_runs")

// CheckNames looks whether runs of the scope's account and user are recorded, whenever they
// were. Its error is an *UnknownNameError where they are not.
func CheckNames(ctx context.Context, db TableQuerier, s Scope) error {
	if err := checkName(ctx, db, s.Cluster, "account", s.Account); err != nil {
		return err
	}
	return checkName(ctx, db, s.Cluster, "user", s.User)
}

func checkName(ctx context.Context, db TableQuerier, cluster, kind, name string) error {
	if name == "" {
		return nil
	}
	_, rows, err := db.QueryTable(ctx, qNamesOfRuns, cluster, kind, name)
	if err != nil {
		return fmt.Errorf("looking up %s %s: %w", kind, name, err)
	}
	unknown := &UnknownNameError{Kind: kind, Name: name}
	for _, row := range rows {
		known := fmt.Sprint(row[0])
		if known == name {
			return nil
		}
		unknown.Known = append(unknown.Known, known)
	}
	return unknown
}
