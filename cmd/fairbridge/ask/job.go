package ask

import (
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/report"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

const jobHelp = `Show a job's GPU utilisation, memory, time and wait as bars, each of its GPUs, and
notes that say what to change. What was not measured is unknown, never idle. What was
measured since the daemon last summed up is summed up first, where the database lets us.
Of a job that waits for its first start it says when that is estimated to be.
Exit status 3 when the job was never seen, or is not yours to see.

`

func newJobCommand(o *cli.Options, open opener) *cobra.Command {
	return &cobra.Command{
		Use:   "job JOB",
		Short: "How a job used what it got, and what to change next time",
		Long:  jobHelp + source.Rule,
		Example: `  fairbridge job 4711
  fairbridge job 4711_3        a task of an array
  fairbridge job 4711 --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return answerAboutJob(c, o, open, a[0], source.Source.JobUse, func(j *report.JobUse, _ source.Source) {
				PrintJobUse(c.OutOrStdout(), j, time.Now())
			})
		},
	}
}
