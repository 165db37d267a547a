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
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

const defaultConfig = "/etc/fairbridge/fairbridge.yaml"

// options are the flags every command has.
type options struct {
	config string
	json   bool
}

func newRoot() *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:   "fairbridge",
		Short: "An external GPU scheduler for Slurm",
		Long: `fairbridge runs beside slurmctld. Every interval it reads the GPU jobs, lets a
policy decide who should run where, and pushes order, leases, requeues and node
lists back into Slurm. If it dies, Slurm alone keeps running every job.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but the
answer is bad (doctor found a fault, the job is not known).`,
		Example: `  fairbridge doctor            is everything as it should be?
  fairbridge plan              what would one cycle do? (changes nothing)
  fairbridge run               the daemon
  fairbridge queue             who is next, and why
  fairbridge explain 4711      why does my job wait?`,
		SilenceUsage: true, SilenceErrors: true,
	}
	version.AddFlag(root)
	root.PersistentFlags().StringVarP(&o.config, "config", "c", configPath(), "configuration file (environment: FAIRBRIDGE_CONFIG)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	root.AddCommand(newRun(o), newPlan(o), newQueue(o), newExplain(o), newPolicies(o), newDoctor(o),
		newRelease(o), newExpire(o), newReport(o), newJob(o), newSimulate(o), newCompare(o), newReplay(o), newTrace(o), newDB(o), newImport(o), newProgress(), newConfig(o), newVersion(o))
	return parent(root)
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
		return usageError{fmt.Errorf("unknown command %q%s; see %s --help", a[0], hint, c.CommandPath())}
	}
	p.RunE = func(c *cobra.Command, _ []string) error {
		if !c.HasParent() {
			return c.Help()
		}
		return usageError{fmt.Errorf("%s what? see %s --help", c.CommandPath(), c.CommandPath())}
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

// load reads the configuration. One that cannot be read is as wrong as one that
// makes no sense.
func (o *options) load() (*settings.File, error) {
	f, err := settings.Load(o.config)
	var problem settings.Problem
	if err != nil && !errors.As(err, &problem) {
		return nil, usageError{err}
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
			return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
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
		return nil, usageError{err}
	}
	return db, nil
}
