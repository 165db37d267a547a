// Package ask has the commands that everybody may ask: why a job waits, how the queue stands,
// how GPUs were used. They are flags and printing of the values of package api; where those
// come from is package source.
package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

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

func newWhoAmICommand(o *cli.Options, open opener) *cobra.Command {
	return &cobra.Command{
		Use:     "whoami",
		Short:   "As whom fairbridge sees you, and what that lets you see",
		Long:    "Say as whom fairbridge sees you, how that was proven, what you may see, and where it was\nasked.\n\n" + source.Rule,
		Example: "  fairbridge whoami\n  fairbridge whoami --url https://ctl.example:6817 --json",
		Args:    cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
				v, err := s.Me(ctx)
				if err != nil {
					return err
				}
				if o.JSON {
					return output.WriteJSON(c.OutOrStdout(), v)
				}
				printable.Fprintf(c.OutOrStdout(), "%s, %s, by %s of %s.\n", cmp.Or(v.User, "(not known)"), v.Role, originText(v.Origin), s.Describe())
				output.WriteParagraph(c.OutOrStdout(), "", sightText(v))
				if v.Private != nil {
					output.WriteParagraph(c.OutOrStdout(), "", privacyText(v.Private))
				}
				return nil
			})
		},
	}
}

// originTexts say how it was proven who asks.
var originTexts = map[string]string{
	api.OriginMunge: "a munge credential", api.OriginSocket: "the socket", api.OriginBrowser: "a browser's link", api.OriginProxy: "the word of the proxy", api.OriginLocal: "the files",
}

func originText(origin string) string { return cmp.Or(originTexts[origin], origin) }

// sightText says what a viewer may see.
func sightText(v *api.Viewer) string {
	text := "You see your own jobs and what is public."
	switch {
	case v.IsOperator():
		text = "You see everything."
	case len(v.Accounts) > 0:
		text = fmt.Sprintf("You see your own jobs, those of the accounts that you coordinate (%s), and what is public.", strings.Join(v.Accounts, ", "))
	}
	if v.RoleUnknown != "" {
		text += " Whether you may see more is not known: " + v.RoleUnknown
	}
	return text
}

// privacyText says what of others is private here, and where that is said.
func privacyText(p *api.Privacy) string {
	var what []string
	for _, x := range []struct {
		name string
		is   bool
	}{{"jobs", p.Jobs}, {"usage and shares", p.Usage}, {"nodes", p.Nodes}} {
		if x.is {
			what = append(what, x.name)
		}
	}
	if len(what) == 0 {
		return fmt.Sprintf("Nothing of others is private here (%s).", p.Source)
	}
	return fmt.Sprintf("Private here, of others: %s (%s).", strings.Join(what, ", "), p.Source)
}

// linkOpener opens the daemon that hands out links.
type linkOpener func(ctx context.Context, o *cli.Options) (source.Linker, error)

func newLinkCommand(o *cli.Options, open linkOpener) *cobra.Command {
	return &cobra.Command{
		Use:   "link",
		Short: "An address that signs your browser in, once",
		Long: `Print an address that signs a browser in as you, once and within five minutes, for
eight hours. Open it yourself: whoever does is you there. It needs a daemon that browsers
reach (api.listen).

` + source.Rule,
		Example: "  fairbridge link\n  xdg-open \"$(fairbridge link --json | jq -r .url)\"",
		Args:    cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := open(c.Context(), o)
			if err != nil {
				return err
			}
			defer l.Close()
			link, err := l.NewLink(c.Context())
			if err != nil {
				return source.NewLinkError(l, err)
			}
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), link)
			}
			printable.Fprintln(c.OutOrStdout(), link.URL)
			printable.Fprintln(c.ErrOrStderr(), fmt.Sprintf("Good once, until %s. Whoever opens it is you there.", output.FormatTime(link.Until, time.Now())))
			return nil
		},
	}
}

// A job as people write it, and as squeue writes the tasks of an array that wait.
var (
	jobNumber = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	taskIndex = regexp.MustCompile(`^([0-9]{1,10}|\[[0-9,:%-]+(\.\.\.)?\])$`)
)

// longestAddress is longer than any that squeue writes.
const longestAddress = 256

// CheckAddress says what is wrong with a job, before anything is asked.
func CheckAddress(text string) error {
	if len(text) > longestAddress {
		return fmt.Errorf("%q is not a job: it has more than %d characters", printable.Truncate(text, 100), longestAddress)
	}
	job, task, isTask := strings.Cut(text, "_")
	if before, part, isPart := strings.Cut(text, "+"); isPart && !isTask && jobNumber.MatchString(before) && taskIndex.MatchString(part) {
		return nil // of a heterogeneous job: 7+1
	}
	switch {
	case !jobNumber.MatchString(job):
		return fmt.Errorf("%q is not a job id such as 4711, or 4711_3 for a task of an array", printable.Truncate(text, 100))
	case isTask && !taskIndex.MatchString(task):
		return fmt.Errorf("%q is not a task of an array such as 4711_3", printable.Truncate(text, 100))
	}
	return nil
}

// checkAddresses says what is wrong with the jobs of --jobs.
func checkAddresses(jobs []string) error {
	for _, job := range jobs {
		if err := CheckAddress(job); err != nil {
			return fmt.Errorf("--jobs: %w", err)
		}
	}
	return nil
}

// completionTimeout is how long a shell waits at most for names: on a busy machine a daemon that is well needs seconds, and
// one that is not there is known at once.
const completionTimeout = 10 * time.Second

// completePartitions offers the partitions to a shell: those of the configuration where one is
// read, else those that the daemon names.
func completePartitions(o *cli.Options, open opener) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if names, directive := o.CompletePartitionNames()(c, args, typed); len(names) > 0 {
			return names, directive
		}
		ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
		defer cancel()
		s, err := open(ctx, o)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer s.Close()
		var all *api.Policies
		err = source.AskInTurn(ctx, func() (err error) {
			all, err = s.Policies(ctx)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []cobra.Completion
		for _, p := range all.Partitions {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
