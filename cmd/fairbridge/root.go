// Command fairbridge schedules GPU jobs on an unmodified Slurm: it watches,
// lets a policy decide, and pushes order, leases, node lists and requeues back.
package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/fairbridge/behindcommand"
	"fairbridge/cmd/fairbridge/bundlecommand"
	"fairbridge/cmd/fairbridge/canaryreport"
	"fairbridge/cmd/fairbridge/erasecommand"
	"fairbridge/cmd/fairbridge/guardcommand"
	"fairbridge/cmd/fairbridge/operate"
	"fairbridge/cmd/fairbridge/policiescommand"
	"fairbridge/cmd/fairbridge/remindercommand"
	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/fairbridge/shadowreport"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/fairbridge/studycommand"
	"fairbridge/cmd/fairbridge/topcommand"
	"fairbridge/cmd/fairbridge/webcommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/daemon"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

func newRootCommand() *cobra.Command {
	o := &cli.Options{}
	root := &cobra.Command{
		Use:   "fairbridge",
		Short: "An external GPU scheduler for Slurm",
		Long: `fairbridge runs beside slurmctld. Every interval it reads the GPU jobs, lets a
policy decide who should run where, and pushes order, leases, requeues and node
lists back into Slurm. If it dies, Slurm alone keeps running every job.

queue, top, explain, job, when, nodes, shares, behind, changes, report, study, link
and whoami are for everybody: without a configuration they ask the daemon (see fairbridge
queue --help).

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but the
answer is bad (doctor found a fault, the job is not known or not yours to see),
4 the daemon could not be reached, or cannot answer now.`,
		Example: `  fairbridge doctor            is everything as it should be?
  fairbridge plan              what would one cycle do? (changes nothing)
  fairbridge run               the daemon
  fairbridge queue --me        where do my jobs stand, and why?
  fairbridge explain 4711      why does my job wait?
  fairbridge when --gpus 8 --time 4h    when would my job start?`,
		SilenceUsage: true, SilenceErrors: true,
	}
	version.AddFlag(root)
	o.AddFlagsTo(root)
	root.AddCommand(newRunCommand(o), newPlanCommand(o), startestimate.NewWhenCommand(o), policiescommand.NewCommand(o), newDoctorCommand(o), bundlecommand.NewCommand(o),
		newReleaseCommand(o), newExpireCommand(o), guardcommand.NewCommand(o), operate.NewCommand(o), replaycommand.NewCommand(o), newDBRootCommand(o), newImportCommand(o), newProgressCommand(o), remindercommand.NewCommand(o), erasecommand.NewCommand(o), newConfigCommand(o), newVersionCommand(o), webcommand.NewCommand(o))
	root.AddCommand(ask.NewCommands(o, shadowreport.NewCommand(o), canaryreport.NewCommand(o))...)
	root.AddCommand(topcommand.NewCommand(o), behindcommand.NewCommand(o), studycommand.NewCommand(o))
	for _, name := range movedCommands {
		root.AddCommand(newMovedCommand(name))
	}
	return cli.NewGroupCommand(root)
}

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

func newConfigCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use: "config", Short: "Write an example configuration, or check yours",
		Example: "  fairbridge config example > fairbridge.yaml\n  fairbridge -c fairbridge.yaml config check",
	})
	c.AddCommand(
		&cobra.Command{
			Use: "example", Short: "Print a commented configuration with all defaults", Args: cli.CheckArgs(cobra.NoArgs),
			Example: "  fairbridge config example > /etc/fairbridge/fairbridge.yaml",
			RunE: func(c *cobra.Command, _ []string) error {
				printable.Fprintlines(c.OutOrStdout(), settings.Example)
				return nil
			},
		},
		&cobra.Command{
			Use: "check", Short: "Report every problem of the configuration, with line and column", Args: cli.CheckArgs(cobra.NoArgs),
			Example: "  fairbridge -c ./fairbridge.yaml config check",
			RunE: func(c *cobra.Command, _ []string) error {
				f, err := o.LoadSettings()
				if err != nil {
					return err
				}
				printable.Fprintf(c.OutOrStdout(), "%s is fine.\n", o.ConfigPath)
				for _, line := range f.DescribeCanaries(time.Now()) {
					printable.Fprintln(c.OutOrStdout(), line)
				}
				return nil
			},
		})
	return c
}

func newExpireCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "expire",
		Short: "Give back what a daemon that died left in Slurm; for a timer",
		Long: `Give back what a daemon that died left in Slurm and does not end by itself. It is
run every minute by fairbridge-expire.timer. While a daemon leads it does nothing
but note in the database that it ran: the daemon names nodes for jobs only while
that note is younger than three minutes.

When no daemon has led for a minute, or leader.ttl where that is longer, node lists
are given back, and after ten minutes order numbers too. Only values that are still
exactly what we wrote are touched. While Postgres is down it gives back the node
lists that the local journal knows. A STOP file stops it too: fairbridge release
gives everything back all the same.`,
		Example: `  systemctl enable --now fairbridge-expire.timer
  fairbridge expire`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.OpenSystem(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.DB.Close()
			out, err := s.Expire(c.Context(), c.ErrOrStderr())
			if out != nil && len(out.Edits) > 0 {
				printable.Fprintf(c.OutOrStdout(), "No daemon leads.\n")
				printReleased(c.OutOrStdout(), out, false, true)
			}
			return err
		},
	}
}

func newVersionCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  fairbridge version
  fairbridge version --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), version.ReadInfo())
			}
			printable.Fprintln(c.OutOrStdout(), "fairbridge", version.ReadInfo())
			return nil
		},
	})
}

func main() { cli.Main(newRootCommand()) }

// movedCommands are those of fairbridge-lab, which were commands of fairbridge.
var movedCommands = []string{"simulate", "compare", "trace", "train", "search", "recommend"}

// newMovedCommand says of a command that has moved where it is.
func newMovedCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: "A command of fairbridge-lab", Example: "  fairbridge-lab " + name + " --help",
		Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return cli.NewUsageError(fmt.Errorf("%s is a command of fairbridge-lab, which make build makes", name))
		},
	}
}
