package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/daemon"
)

func newRunCommand(o *cli.Options) *cobra.Command {
	var once, root bool
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the daemon",
		Long: `Run the daemon: a cycle every interval, until SIGTERM. Leases stay when it ends;
they run out by themselves. A STOP file (stop_file in the configuration) halts all
pushing within a second. A second daemon for the same cluster stands by. As root the
daemon does not start, unless --allow-root is given.`,
		Example: `  fairbridge run --config /etc/fairbridge/fairbridge.yaml
  fairbridge run --once      one cycle, then exit`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.LoadSettings()
			if err != nil {
				return err
			}
			if err := checkNotRoot(os.Geteuid(), once || root); err != nil {
				return err
			}
			log := f.NewLogger(c.ErrOrStderr())
			s, err := o.OpenSystem(c.Context(), log)
			if err != nil {
				return err
			}
			s.BackfillPatience = min(f.Interval/4, 10*time.Second)
			if once {
				return daemon.RunOnce(c.Context(), s, log)
			}
			return daemon.Run(c.Context(), s, log)
		},
	}
	c.Flags().BoolVar(&root, "allow-root", false, "run the daemon as root, as in a container that has no other user")
	c.Flags().BoolVar(&once, "once", false, "run one cycle and exit; it pushes only where warmup is 0")
	return c
}

// checkNotRoot refuses to run a daemon as root.
func checkNotRoot(uid int, allowed bool) error {
	if uid != 0 || allowed {
		return nil
	}
	return cli.NewUsageError(errors.New("the daemon needs none of root's rights, and a fault in it would have them all: " +
		"run it as a user of its own (fairbridge.service, or sudo -u fairbridge fairbridge run); with --allow-root it runs all the same"))
}
