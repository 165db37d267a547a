// Package remindercommand is fairbridge reminders: which owners were told of idle GPUs, and whom a look would tell now.
package remindercommand

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/reminders"
	"fairbridge/bridge/printable"
	deciding "fairbridge/bridge/reminders"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/remind"
	"fairbridge/cmd/internal/system"
	"fairbridge/policy"
)

// mostListed is how many messages are listed.
const mostListed = 1000

type flags struct {
	dryRun bool
	since  time.Duration
}

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "reminders",
		Short: "Which owners were told that GPUs of theirs are idle",
		Long: `List the messages to owners of idle GPUs that the daemon sent, the newest first. What
came of them is in fairbridge report idle-reminders. STATE is sent, failed, or claimed:
the daemon ended while it was sending, and it is not known whether it was sent.

With --dry-run read Slurm and the readings of GPUs as they are now, and show whom a look
would tell, in which words. Nothing is sent or stored. Spells longer than half an hour
are those that the daemon has put together: before reminders are on there are none, and
it is shown what the steps 30m, 2h and 8h would lead to.

Exit status 1 where Slurm or the database cannot be asked.`,
		Example: `  fairbridge reminders
  fairbridge reminders --since 168h --json
  fairbridge reminders --dry-run`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.dryRun {
				return runDry(c.Context(), c.OutOrStdout(), o)
			}
			return f.list(c.Context(), c.OutOrStdout(), o)
		},
	}
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show whom a look would tell now")
	c.Flags().DurationVar(&f.since, "since", 24*time.Hour, "list messages of so long")
	cli.SetRange(c, "since", "1s", "8784h")
	return o.AddJSONFlag(c)
}

func (f *flags) list(ctx context.Context, w io.Writer, o *cli.Options) error {
	file, err := o.LoadSettings()
	if err != nil {
		return err
	}
	db, err := cli.OpenDB(ctx, file)
	if err != nil {
		return err
	}
	defer db.Close()
	list, err := db.ListSent(ctx, file.Cluster, time.Now().Add(-f.since), mostListed)
	switch {
	case err != nil:
		return err
	case o.JSON:
		return output.WriteJSON(w, append([]reminders.Sent{}, list...))
	case len(list) == 0:
		printable.Fprintf(w, "No owner was told of idle GPUs in %s.\n", policy.FormatDuration(f.since))
		return nil
	}
	t := output.NewTable(w, "TIME (UTC)", "USER", "JOBS", "IDLE GPUS", "STATE", "BY")
	for i := range list {
		m := &list[i]
		t.AddRow(m.At.Format("2006-01-02 15:04"), m.User, len(m.Jobs), m.IdleGPUs, m.State, strings.TrimSpace(strings.Join(m.SentBy, ", ")+" "+m.Error))
	}
	t.Print()
	return nil
}

func runDry(ctx context.Context, w io.Writer, o *cli.Options) error {
	file, err := o.LoadSettings()
	if err != nil {
		return err
	}
	db, err := cli.OpenDB(ctx, file)
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := system.OpenREST(ctx, file)
	if err != nil {
		return err
	}
	v, err := c.Observe(ctx)
	if err != nil {
		return err
	}
	d, err := remind.Preview(ctx, file, db.Reminders, v.Jobs, time.Now())
	if err != nil {
		return err
	}
	if o.JSON {
		return output.WriteJSON(w, preview{append([]deciding.Message{}, d.Messages...), append([]deciding.Withheld{}, d.Withheld...)})
	}
	if !file.Reminders.IsOn() {
		printable.Fprintf(w, "Reminders are off: no owner is told. With reminders.after: %v and a way to tell it would be as follows.\n", remind.TrialSteps)
	}
	printPreview(w, d)
	return nil
}

// preview is reminders --dry-run --json.
type preview struct {
	Messages []deciding.Message  `json:"messages"`
	Withheld []deciding.Withheld `json:"withheld"`
}

func printPreview(w io.Writer, d *deciding.Decision) {
	printable.Fprintf(w, "%s idle for ten minutes or more; %s would be sent.\n", policy.FormatCount(len(d.Spells), "GPU"), policy.FormatCount(len(d.Messages), "message"))
	for i := range d.Messages {
		m := &d.Messages[i]
		printable.Fprintf(w, "\nTo %s (%s): %s\n\n", m.User, cmp.Or(m.Address, "no mail address"), m.Subject)
		for line := range strings.Lines(m.Text) {
			printable.Fprintf(w, "    %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	for _, x := range d.Withheld {
		printable.Fprintf(w, "\nNot told now: %s of %s, %s.\n", policy.FormatCount(x.Jobs, "job"), x.User, x.Why)
	}
}
