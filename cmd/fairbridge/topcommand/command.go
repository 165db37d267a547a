// Package topcommand is fairbridge top, a view of the cluster on a terminal that follows it. It
// only reads.
//
// The model is pure: messages (keys, the time, answers, the size of the terminal) change it, and
// it says what the screen shows and what is to be asked. What it wants asked is done in effects.go.
package topcommand

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

const help = `Follow the cluster on a terminal: the queue, your jobs, nodes and GPUs, shares, idle GPUs
and changes, asked again every few seconds. It only reads.

Keys are as in k9s and less: / filters, : calls up a view by its name, e explains a job,
d shows details, esc goes back, ? has all keys and views, q ends. Where fairbridge does
not answer, the last picture stays, and it says since when it is stale. Colours are left
out where NO_COLOR is set, or by --color never.

`

// opener opens where answers come from.
type opener func(ctx context.Context, o *cli.Options) (source.Source, error)

// flags are the flags of top.
type flags struct{ interval, color string }

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command { return newCommand(o, source.Open) }

func newCommand(o *cli.Options, open opener) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "top [VIEW]",
		Short: "Follow queue, nodes, shares and changes on a terminal",
		Long:  help + source.Rule,
		Example: `  fairbridge top
  fairbridge top jobs
  fairbridge top nodes --interval 30`,
		Args: cli.CheckArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			name := views[0].name
			if len(args) > 0 {
				name = args[0]
			}
			return run(c, o, open, f, name)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return viewNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&f.interval, "interval", "5", "ask again so many seconds after an answer; or like 1m")
	c.Flags().StringVar(&f.color, "color", "auto", "colours: auto (where the terminal has them), always or never")
	return o.AddURLFlag(c)
}

func viewNames() (names []string) {
	for _, v := range views {
		names = append(names, v.name)
	}
	return names
}

// run shows a view until q is pressed.
func run(c *cobra.Command, o *cli.Options, open opener, f *flags, name string) error {
	first := findView(name)
	if first == nil {
		return cli.NewUsageError(fmt.Errorf("there is no view %q; there are %s", printable.Truncate(name, 40), strings.Join(viewNames(), ", ")))
	}
	interval, err := ask.ParseInterval("--interval", f.interval)
	if err != nil {
		return cli.NewUsageError(err)
	}
	hasColours, err := output.WantsColours(c.OutOrStdout(), f.color)
	if err != nil {
		return cli.NewUsageError(err)
	}
	terminal := output.Terminal(c.OutOrStdout())
	if terminal == nil {
		return cli.NewUsageError(errors.New("top needs a terminal; fairbridge queue, nodes, shares and changes print to anything"))
	}
	s, err := open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel() // what is still asked
	m := newModel(&asker{ctx: ctx, source: s, now: time.Now}, first, time.Now())
	m.interval, m.hasColours, m.isLocal, m.where = interval, hasColours, source.ReadsRecord(s), s.Describe()
	return show(m, tea.WithContext(ctx), tea.WithOutput(terminal), tea.WithInput(c.InOrStdin()), tea.WithEnvironment(os.Environ()))
}

// show runs the screen until it is ended, by a key or from outside, which is no error.
func show(m *model, options ...tea.ProgramOption) error {
	_, err := tea.NewProgram(m, options...).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("showing the cluster on the terminal: %w; fairbridge queue prints it once", err)
	}
	return nil
}
