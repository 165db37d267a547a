package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/api/names"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

const changesHelp = `List what fairbridge changed in Slurm, or was about to, and what came of it, newest
first. ID is what an operator names to have a change undone. STATE is as in fairbridge
explain --help. Times are as 7d, 36h, 2026-03-02 or 2026-03-02T15:00 (UTC).

`

// changesFlags are the flags of changes.
type changesFlags struct {
	jobs, users, kinds, states, since string
	isMine                            bool
	limit                             int
}

func newChangesCommand(o *cli.Options, open opener) *cobra.Command {
	f := &changesFlags{}
	c := &cobra.Command{
		Use:   "changes",
		Short: "What was changed in Slurm, for which job, and what came of it",
		Long:  changesHelp + source.Rule,
		Example: `  fairbridge changes --me
  fairbridge changes -j 4711,4712_3 --since 7d
  fairbridge changes --kind requeue,warn --since 30d --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return answerChanges(c, o, open, f) },
	}
	s := c.Flags()
	s.BoolVar(&f.isMine, "me", false, "only of your jobs")
	s.StringVarP(&f.users, "user", "u", "", "only of jobs of these users")
	s.StringVarP(&f.jobs, "jobs", "j", "", "only of these jobs")
	s.StringVar(&f.kinds, "kind", "", "only of these kinds, as a comma list")
	s.StringVarP(&f.states, "states", "t", "", "only in these states, as a comma list")
	s.StringVar(&f.since, "since", "1d", "begin: so long ago, or a time")
	s.IntVar(&f.limit, "limit", 100, "print so many at most")
	cli.SetRange(c, "limit", "1", fmt.Sprint(api.MaxLimit))
	return c
}

// query reads the flags.
func (f *changesFlags) query(now time.Time) (q api.ChangeQuery, err error) {
	if f.isMine && f.users != "" {
		return q, errors.New("--me is --user with your own name: give one of them")
	}
	q = api.ChangeQuery{Jobs: splitJobs(f.jobs), Users: splitList(f.users), Kinds: splitList(f.kinds), States: splitStates(f.states), Limit: f.limit}
	if err := names.Check("--kind", q.Kinds, names.ChangeKinds); err != nil {
		return q, err
	}
	if err := names.Check("--states", q.States, names.ChangeStates); err != nil {
		return q, err
	}
	if err := checkAddresses(q.Jobs); err != nil {
		return q, err
	}
	if q.Since, err = cli.ParseTime(f.since, now); err != nil {
		return q, fmt.Errorf("--since: %w", err)
	}
	return q, nil
}

func answerChanges(c *cobra.Command, o *cli.Options, open opener, f *changesFlags) error {
	q, err := f.query(time.Now())
	if err != nil {
		return cli.NewUsageError(err)
	}
	return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
		if f.isMine {
			me, err := s.Me(ctx)
			if err != nil {
				return err
			}
			q.Users = []string{me.User}
		}
		a, err := s.Changes(ctx, q)
		if err != nil {
			return err
		}
		if o.JSON {
			return output.WriteJSON(c.OutOrStdout(), a)
		}
		printChanges(c.OutOrStdout(), a, q.Since, time.Now())
		return nil
	})
}

// maxTextShown is how much a table shows of a text that was written into a job.
const maxTextShown = 24

// changeText says a change in a table: of a text the first words, which --json has whole.
func changeText(e slurm.Edit, address string, now time.Time) string {
	e.Text = printable.Truncate(e.Text, maxTextShown)
	return output.FormatEdit(e, address, now)
}

func printChanges(w io.Writer, a *api.Changes, since, now time.Time) {
	if len(a.Changes) == 0 {
		printable.Fprintf(w, "Nothing that was asked for and that you may see was changed in Slurm since %s.\n", output.FormatTime(since, now))
		return
	}
	list := NewChangeList(a, now)
	list.print(w)
	if a.Next != "" {
		printable.Fprintf(w, "\nThere are more: ask with a later --since, or a larger --limit.\n")
	}
}

// NewChangeList lists changes.
func NewChangeList(a *api.Changes, now time.Time) List {
	l := List{Head: strings.Fields("AT ID JOB USER CHANGE STATE WHY")}
	for i := range a.Changes {
		ch := &a.Changes[i]
		l.addJob(ch.Address, output.FormatTime(ch.Made, now), ch.ID, ch.Address, printable.Truncate(ch.User, 12), changeText(ch.Edit, ch.Address, now), intentStateText(&ch.Intent), ch.Edit.Why)
	}
	return l
}
