package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge-demo/demo"
)

func newDemo(o *options) *cobra.Command {
	d := demo.Options{Pace: 1}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show what fairbridge changes, on a throw-away Slurm of this machine",
		Long: `Play the same small day of jobs twice, on a throw-away Slurm alone and on another
with fairbridge beside it, and compare: waits, fairness, GPU shares, idle GPUs, from
Slurm's own records. What is missing is installed from the distribution (as root or
by sudo); Slurm and Postgres run privately, and both are removed at the end. The
machine's own are not touched. Takes under five minutes.`,
		Example: `  fairbridge demo
  fairbridge demo --slurm=sim        on a simulated Slurm: no root needed
  fairbridge demo --policy tiresias --seed 7
  fairbridge demo --keep             keep all of it up, to look around`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := d.Check(); err != nil {
				return usageError{err}
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			d.Binary, d.Nodeprobe, d.JSON = self, filepath.Join(filepath.Dir(self), "nodeprobe"), o.json
			d.In, d.Out, d.Err = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			return demo.Run(c.Context(), d)
		},
	}
	f := c.Flags()
	f.StringVar(&d.Slurm, "slurm", "auto", "real, sim, or auto: real where it can be had")
	f.StringVar(&d.Policy, "policy", "fairbridge", "policy to show: "+strings.Join(demo.Policies(), ", "))
	f.StringVar(&d.Params, "params", "", "its parameters, such as 'min_run: 10s, reserve: 20s'; default: what suits the short day")
	f.Uint64Var(&d.Seed, "seed", 1, "of the day's jobs")
	f.BoolVar(&d.Keep, "keep", false, "keep everything up at the end until Enter is pressed")
	return o.reader(c)
}
