package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

func newDBRootCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "db",
		Short: "Set up and look at the database",
		Example: `  createdb fairbridge && fairbridge db init
  fairbridge db migrate
  fairbridge db status --json`,
	})
	c.AddCommand(
		newDBSubcommand(o, "init", "Make the schema in an empty database, and the read-only role for reports", initDatabase),
		newDBSubcommand(o, "migrate", "Bring the schema up to this release", migrateDB),
		newDBSubcommand(o, "status", "Say how the database stands", printDBStatus),
	)
	return c
}

func newDBSubcommand(o *cli.Options, name, short string, do func(*cobra.Command, *cli.Options, *stores.Stores) error) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use: name, Short: short, Args: cli.CheckArgs(cobra.NoArgs),
		Example: "  fairbridge db " + name + "\n  fairbridge db " + name + " --json",
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.LoadSettings()
			if err != nil {
				return err
			}
			db, err := cli.OpenDB(c.Context(), f)
			if err != nil {
				return err
			}
			defer db.Close()
			return do(c, o, db)
		},
	})
}

func initDatabase(c *cobra.Command, o *cli.Options, db *stores.Stores) error {
	if err := migrateDB(c, o, db); err != nil {
		return err
	}
	if err := db.GrantReportRole(c.Context()); err != nil {
		return fmt.Errorf("the schema is there, but not the role for reports: %w", err)
	}
	return nil
}

// migrationResult is the answer of init and migrate.
type migrationResult struct {
	AppliedCount int   `json:"applied"`
	Version      int64 `json:"version"`
}

func migrateDB(c *cobra.Command, o *cli.Options, db *stores.Stores) error {
	n, err := db.Migrate(c.Context())
	if err != nil {
		return err
	}
	s, err := db.Status(c.Context())
	if err != nil {
		return err
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), migrationResult{n, s.AppliedVersion})
	}
	printable.Fprintf(c.OutOrStdout(), "%s applied; the schema is at version %d.\n", policy.FormatCount(n, "migration"), s.AppliedVersion)
	return nil
}

// dbStatus is the answer of status.
type dbStatus struct {
	accounting.Status
	FitsProgram bool   `json:"fit"`
	Error       string `json:"error,omitempty"`
}

func printDBStatus(c *cobra.Command, o *cli.Options, db *stores.Stores) error {
	s, err := db.Status(c.Context())
	if errors.Is(err, context.Canceled) {
		return err
	}
	out := dbStatus{Status: s, FitsProgram: err == nil}
	if err != nil {
		out.Error = err.Error()
	}
	if o.JSON {
		if e := output.WriteJSON(c.OutOrStdout(), out); e != nil {
			return e
		}
	} else if err == nil {
		printable.Fprintf(c.OutOrStdout(), "The database is fit: schema version %d, Postgres %d.%d.\n", s.AppliedVersion, s.ServerVersion/10000, s.ServerVersion%10000)
	} else {
		printable.Fprintf(c.OutOrStdout(), "The database is not fit: %v\n", err)
	}
	if err != nil {
		return cli.ErrFinding
	}
	return nil
}
