package ask

import (
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

const explainHelp = `Tell a job's story: what the policy decided and why, who is ahead of it, when it
should start, what was changed in Slurm for it, and where its runs went. A decision is
listed when it changed, not in each cycle that repeats it. Exit status 3 when the job was
never seen, or is not yours to see.

STATE of a change: PLANNED, SENT, then ACKED (Slurm said yes) or UNKNOWN (no answer);
OBSERVED when a poll shows it; EXPIRED when it ran out as meant, YIELDED when it gave
way to what somebody else set, FAILED when it was refused or never seen, VOID when it
was not sent after all.

`

func newExplainCommand(o *cli.Options, open opener) *cobra.Command {
	return &cobra.Command{
		Use:   "explain JOB",
		Short: "Why a job waits, runs or was requeued",
		Long:  explainHelp + source.Rule,
		Example: `  fairbridge explain 4711
  fairbridge explain 4711_3        a task of an array
  fairbridge explain 4711 --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return answerAboutJob(c, o, open, a[0], source.Source.Job, func(e *api.Job, s source.Source) {
				PrintExplanation(c.OutOrStdout(), e, source.ReadsRecord(s), time.Now())
			})
		},
	}
}
