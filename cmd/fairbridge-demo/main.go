// Command fairbridge-demo shows what fairbridge changes, on a throw-away Slurm. It
// is a program of its own so that nothing it needs, simulators and installers, is
// part of the one that holds Slurm's token.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-demo/demo"
	"fairbridge/cmd/internal/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	root, errs := newRootCommand(), printable.NewWriter(os.Stderr)
	root.SetOut(printable.NewWriter(os.Stdout))
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	printable.Fprintlines(errs, "fairbridge-demo: "+err.Error())
	var usage usageError
	if errors.As(err, &usage) {
		os.Exit(2)
	}
	os.Exit(1)
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// longHelp is what --help says first.
const longHelp = `Play the same small day of jobs on two throw-away Slurms at the same time, one alone
and one with fairbridge beside it, and compare: waits, fairness, GPU shares, idle GPUs,
from Slurm's own records. The day is a real one of seven hours, made as much faster as
this machine can keep: at most 120 times, with fairbridge's own times. What is missing
is installed from the distribution (as root or by sudo); Slurm and Postgres run
privately and are removed at the end. The machine's own are not touched. Takes four to
seven minutes.

On a simulated Slurm the day passes unshortened in virtual time, in seconds.

The programs fairbridge and nodeprobe are those that lie beside this one, or else those
in the PATH.`

func newRootCommand() *cobra.Command {
	d := demo.Options{}
	c := &cobra.Command{
		Use:   "fairbridge-demo",
		Short: "Show what fairbridge changes, on a throw-away Slurm of this machine",
		Long:  longHelp,
		Example: `  fairbridge-demo
  fairbridge-demo --slurm=sim        on a simulated Slurm: no root needed
  fairbridge-demo --policy srtf --seed 7
  fairbridge-demo --keep             keep all of it up, to look around`,
		Args: func(c *cobra.Command, a []string) error {
			if len(a) > 0 {
				return usageError{fmt.Errorf("unknown argument %q; see %s --help", a[0], c.CommandPath())}
			}
			return nil
		},
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if err := d.Check(); err != nil {
				return usageError{err}
			}
			if d.FairbridgePath, err = findProgram("fairbridge"); err != nil {
				return err
			}
			d.NodeprobePath, _ = findProgram("nodeprobe") // the demonstration says what it does without
			d.In, d.Out, d.Err = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			return demo.Run(c.Context(), d)
		},
	}
	version.AddFlag(c)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	addFlags(c, &d)
	return c
}

func addFlags(c *cobra.Command, d *demo.Options) {
	f := c.Flags()
	f.StringVar(&d.Slurm, "slurm", "auto", "real, sim, or auto: real where it can be had")
	f.StringVar(&d.Policy, "policy", "fairbridge", "policy to show: "+strings.Join(demo.Policies(), ", "))
	f.StringVar(&d.Params, "params", "", "its parameters, such as 'min_run: 10s, reserve: 20s'; default: its own, as much shorter as the day is")
	f.Uint64Var(&d.Seed, "seed", 1, "of the day's jobs")
	f.BoolVar(&d.KeepsRunning, "keep", false, "keep everything up at the end until Enter is pressed")
	f.BoolVar(&d.PrintsJSON, "json", false, "print JSON")
}

// findProgram finds another program of this module: beside this one, or in the PATH.
func findProgram(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program %s is neither beside this one nor in the PATH (make build makes it): %w", name, err)
	}
	return path, nil
}
