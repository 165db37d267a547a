package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

const defaultConfig = "/etc/fairbridge/fairbridge.yaml"

// options are the flags every command has.
type options struct {
	config string
	json   bool
}

// errFinding ends a command whose output says it all.
var errFinding = errors.New("finding")

// usageError is a command line that makes no sense.
type usageError struct{ error }

// badUsage marks an error as one of the command line or the configuration.
func badUsage(err error) error { return usageError{err} }

// isUsage reports whether an error is one of the command line.
func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}

// parent makes a command that only has commands refuse what it does not know.
func parent(p *cobra.Command) *cobra.Command {
	p.Args = func(c *cobra.Command, a []string) error {
		if len(a) == 0 {
			return nil
		}
		hint := ""
		if like := c.SuggestionsFor(a[0]); len(like) > 0 {
			hint = ", did you mean " + strings.Join(like, " or ") + "?"
		}
		return badUsage(fmt.Errorf("unknown command %q%s; see %s --help", a[0], hint, c.CommandPath()))
	}
	p.RunE = func(c *cobra.Command, _ []string) error {
		if !c.HasParent() {
			return c.Help()
		}
		return badUsage(fmt.Errorf("%s what? see %s --help", c.CommandPath(), c.CommandPath()))
	}
	p.SuggestionsMinimumDistance = 2
	return p
}

func configPath() string {
	if p := os.Getenv("FAIRBRIDGE_CONFIG"); p != "" {
		return p
	}
	return defaultConfig
}

// addTo gives the program its --config, and says where the help is when a flag is
// wrong.
func (o *options) addTo(root *cobra.Command) {
	root.PersistentFlags().StringVarP(&o.config, "config", "c", configPath(), "configuration file (environment: FAIRBRIDGE_CONFIG)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return badUsage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
	})
}

// load reads the configuration. One that cannot be read is as wrong as one that
// makes no sense.
func (o *options) load() (*settings.File, error) {
	f, err := settings.Load(o.config)
	var problem settings.Problem
	if err != nil && !errors.As(err, &problem) {
		return nil, badUsage(err)
	}
	return f, err
}

// reader gives a command that prints something its --json flag.
func (o *options) reader(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// args turns cobra's complaints about arguments into usage errors.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return badUsage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
		}
		return nil
	}
}

// open joins the parts that the configuration names. The caller closes DB.
func (o *options) open(ctx context.Context, log *slog.Logger) (*system.System, error) {
	f, err := o.load()
	if err != nil {
		return nil, err
	}
	db, err := openDB(ctx, f)
	if err != nil {
		return nil, err
	}
	return system.Open(f, db, log)
}

// openDB returns the database of the configuration, which is not asked yet.
func openDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	db, err := system.OpenDB(ctx, f)
	if err != nil {
		return nil, badUsage(err)
	}
	return db, nil
}
