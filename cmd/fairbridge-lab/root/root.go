// Package root is the commands of fairbridge-lab. It is apart from the program, since tests of other packages run them.
package root

import (
	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge-lab/recommendcommand"
	"fairbridge/cmd/fairbridge-lab/searchcommand"
	"fairbridge/cmd/fairbridge-lab/simulation"
	"fairbridge/cmd/fairbridge-lab/traincommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/version"
)

// NewCommand makes the command of which the others are a part.
func NewCommand() *cobra.Command {
	o := &cli.Options{}
	root := &cobra.Command{
		Use:   "fairbridge-lab",
		Short: "Try fairbridge's policies on traces and drawn workloads",
		Long: `fairbridge-lab runs the policies of fairbridge on jobs of traces, of drawn workloads and
of a site's past, exactly or through a simulated Slurm, and trains those that learn. It
changes nothing in Slurm and nothing in what fairbridge decides.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration.`,
		Example: `  fairbridge-lab simulate --trace history.csv --cluster 16x8:a100 --policy fifo,tiresias
  fairbridge-lab compare --all
  fairbridge-lab trace info history.csv`,
		SilenceUsage: true, SilenceErrors: true,
	}
	version.AddFlag(root)
	o.AddFlagsTo(root)
	root.AddCommand(simulation.NewSimulateCommand(o), simulation.NewCompareCommand(o), simulation.NewTraceCommand(o),
		traincommand.NewCommand(o), searchcommand.NewCommand(o), recommendcommand.NewCommand(o))
	return cli.NewGroupCommand(root)
}
