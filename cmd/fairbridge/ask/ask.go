// Package ask has the commands that everybody may ask: why a job waits, how the queue stands,
// how GPUs were used. They are flags and printing of the values of package api; where those
// come from is package source.
package ask

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// opener opens where answers come from. Its errors are ready to be printed.
type opener func(ctx context.Context, o *cli.Options) (source.Source, error)

// NewCommands makes the commands. reports are subcommands of report that no daemon answers.
func NewCommands(o *cli.Options, reports ...*cobra.Command) []*cobra.Command {
	return newCommands(o, source.Open, reports...)
}

func newCommands(o *cli.Options, open opener, reports ...*cobra.Command) []*cobra.Command {
	all := []*cobra.Command{
		newQueueCommand(o, open), newExplainCommand(o, open), newJobCommand(o, open), newNodesCommand(o, open),
		newSharesCommand(o, open), newChangesCommand(o, open), newWhoAmICommand(o, open), newReportCommand(o, open, reports), newLinkCommand(o, source.OpenLinker),
	}
	for _, c := range all {
		o.AddURLFlag(o.AddJSONFlag(c))
	}
	return all
}

// withSource opens the source, lets it be asked, and closes it. What was told to who asks
// becomes an error of this program. ask prints nothing before it has every answer: it may be
// called again.
func withSource(c *cobra.Command, o *cli.Options, open opener, ask func(ctx context.Context, s source.Source) error) error {
	s, err := open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	err = source.AskInTurn(c.Context(), func() error { return ask(c.Context(), s) })
	return source.NewCommandError(s, err)
}

// answerAboutJob asks about the job of an address, and prints the answer, or its JSON.
func answerAboutJob[T any](c *cobra.Command, o *cli.Options, open opener, address string, ask func(s source.Source, ctx context.Context, address string) (T, error), show func(T, source.Source)) error {
	if err := CheckAddress(address); err != nil {
		return cli.NewUsageError(err)
	}
	return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
		answer, err := ask(s, ctx, address)
		if err != nil {
			return tellUnknown(c, err)
		}
		if o.JSON {
			return output.WriteJSON(c.OutOrStdout(), answer)
		}
		show(answer, s)
		return nil
	})
}

// tellUnknown ends a command about a thing that is not known or not for who asks: the answer
// does not say which.
func tellUnknown(c *cobra.Command, err error) error {
	if api.CodeOf(err) != api.CodeNotFound {
		return err
	}
	var told *api.Error
	errors.As(err, &told)
	printable.Fprintf(c.ErrOrStderr(), "%v\n", told)
	return cli.ErrFinding
}
