// Package cli is what the commands of fairbridge share: the flags all of them have, the
// errors that decide the exit status, and how arguments are checked.
package cli

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
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

const defaultConfig = "/etc/fairbridge/fairbridge.yaml"

// Options are the flags every command has.
type Options struct {
	Config string // file
	JSON   bool   // print JSON; of commands made WithJSON
}

// ErrFinding ends a command whose output says it all.
var ErrFinding = errors.New("finding")

// usageError is a command line that makes no sense.
type usageError struct{ error }

// BadUsage marks an error as one of the command line or the configuration.
func BadUsage(err error) error { return usageError{err} }

// IsBadUsage reports whether an error is one of the command line.
func IsBadUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}

// Group makes a command that only has commands refuse what it does not know.
func Group(p *cobra.Command) *cobra.Command {
	p.Args = func(c *cobra.Command, a []string) error {
		if len(a) == 0 {
			return nil
		}
		hint := ""
		if like := c.SuggestionsFor(a[0]); len(like) > 0 {
			hint = ", did you mean " + strings.Join(like, " or ") + "?"
		}
		return BadUsage(fmt.Errorf("unknown command %q%s; see %s --help", a[0], hint, c.CommandPath()))
	}
	p.RunE = func(c *cobra.Command, _ []string) error {
		if !c.HasParent() {
			return c.Help()
		}
		return BadUsage(fmt.Errorf("%s what? see %s --help", c.CommandPath(), c.CommandPath()))
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

// AddTo gives the program its --config, and says where the help is when a flag is
// wrong.
func (o *Options) AddTo(root *cobra.Command) {
	root.PersistentFlags().StringVarP(&o.Config, "config", "c", configPath(), "configuration file (environment: FAIRBRIDGE_CONFIG)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return BadUsage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
	})
}

// Load reads the configuration. One that cannot be read is as wrong as one that
// makes no sense.
func (o *Options) Load() (*settings.File, error) {
	f, err := settings.Load(o.Config)
	var problem settings.Problem
	if err != nil && !errors.As(err, &problem) {
		return nil, BadUsage(err)
	}
	return f, err
}

// WithJSON gives a command that prints something its --json flag.
func (o *Options) WithJSON(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}

// Args turns cobra's complaints about arguments into usage errors.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return BadUsage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
		}
		return nil
	}
}

// Open joins the parts that the configuration names. The caller closes DB.
func (o *Options) Open(ctx context.Context, log *slog.Logger) (*system.System, error) {
	f, err := o.Load()
	if err != nil {
		return nil, err
	}
	db, err := OpenDB(ctx, f)
	if err != nil {
		return nil, err
	}
	return system.Open(f, db, log)
}

// OpenDB returns the database of the configuration, which is not asked yet.
func OpenDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	db, err := system.OpenDB(ctx, f)
	if err != nil {
		return nil, BadUsage(err)
	}
	return db, nil
}

// MadeBy says by which release a page was made.
func MadeBy() string {
	v := version.Read()
	return fmt.Sprintf("Made by fairbridge %s (%s).", v.Version, v.Commit)
}
