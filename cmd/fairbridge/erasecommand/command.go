// Package erasecommand is fairbridge erase: the rows of a user made anonymous.
package erasecommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/erasure"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

type flags struct {
	dryRun, isMeant bool
}

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "erase USER",
		Short: "Make all rows of a user anonymous, in every table",
		Long: `Take a user's name out of the database of the configured cluster. What sums per
account rest on (runs, segments, usage by day) stays under a pseudonym such as
erased-3, without the names of jobs; what was learnt of the user's jobs for the user's
later jobs is deleted; sentences that name the user have the pseudonym. Snapshots of
past cycles go: those can be replayed no more. Shares and usage of accounts stay as
they are. Whose the pseudonym is, is stored nowhere: it cannot be undone.

It says first how many rows that are, and does it once that is confirmed: on a terminal it
asks, elsewhere it wants --yes. All of it is done, or none. It is refused while the user
has jobs, and until two days after the last one ended. Slurm's own accounting has the
name too, and backups, logs and recordings: see docs/install.md.

Exit status 1 when it is refused, 3 when no row is of the user, or it was not confirmed.`,
		Example: `  fairbridge erase ann --dry-run
  fairbridge erase ann
  fairbridge erase ann --yes --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, o, args[0]) },
	}
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "count rows, and change nothing")
	c.Flags().BoolVar(&f.isMeant, "yes", false, "do it without asking")
	return o.AddJSONFlag(c)
}

func (f *flags) run(c *cobra.Command, o *cli.Options, user string) error {
	file, err := o.LoadSettings()
	if err != nil {
		return err
	}
	db, err := cli.OpenDB(c.Context(), file)
	if err != nil {
		return err
	}
	defer db.Close()
	told, err := f.erase(c.Context(), db, file.Cluster, user, true)
	if err != nil {
		return noteUnknown(c.ErrOrStderr(), user, err)
	}
	if f.dryRun {
		return writeErasure(c.OutOrStdout(), o, user, told, "would change or delete")
	}
	if !o.JSON {
		if err := writeErasure(c.OutOrStdout(), o, user, told, "changes or deletes"); err != nil {
			return err
		}
	}
	switch isMeant, err := cli.AskWhetherMeant(c, f.isMeant, "it cannot be undone"); {
	case err != nil:
		return err
	case !isMeant:
		printable.Fprintf(c.ErrOrStderr(), "Nothing was done.\n")
		return cli.ErrFinding
	}
	done, err := f.erase(c.Context(), db, file.Cluster, user, false)
	if err != nil {
		return noteUnknown(c.ErrOrStderr(), user, err)
	}
	return f.finish(c.Context(), c.OutOrStdout(), o, db, file.Cluster, done)
}

func (f *flags) erase(ctx context.Context, db *stores.Stores, cluster, user string, isDry bool) (erasure.Erasure, error) {
	return (&erasure.Store{DB: db.DB}).Erase(ctx, cluster, user, cli.PersonName(), time.Now(), isDry)
}

// finish says what was done, and has run times learnt anew: the models that had the name are gone.
func (f *flags) finish(ctx context.Context, w io.Writer, o *cli.Options, db *stores.Stores, cluster string, done erasure.Erasure) error {
	if _, err := db.Learn(ctx, cluster, time.Now()); err != nil {
		return fmt.Errorf("the user is erased, but run times are not learnt anew yet, which the daemon does within the hour: %w", err)
	}
	if o.JSON {
		return output.WriteJSON(w, done)
	}
	printable.Fprintf(w, "Done: what stays is of %s.\n", done.Pseudonym)
	return nil
}

func noteUnknown(w io.Writer, user string, err error) error {
	if errors.Is(err, erasure.ErrUnknown) {
		printable.Fprintf(w, "No row is of user %s.\n", user)
		return cli.ErrFinding
	}
	return err
}

func writeErasure(w io.Writer, o *cli.Options, user string, e erasure.Erasure, verb string) error {
	if o.JSON {
		return output.WriteJSON(w, e)
	}
	t := output.NewTable(w, "TABLE", "ROWS")
	var all int64
	for _, c := range e.Counts {
		t.AddRow(c.Table, c.Rows)
		all += c.Rows
	}
	t.Print()
	output.WriteParagraph(w, "", fmt.Sprintf("Erasing user %s %s %s.", user, verb, policy.FormatCount(int(all), "row")))
	return nil
}
