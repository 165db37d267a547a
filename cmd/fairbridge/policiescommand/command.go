// Package policiescommand is the command policies: the catalogue, with what each policy does and needs.
package policiescommand

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// NewCommand makes the command that lists the policies, or says what one of them does.
func NewCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "policies [NAME]",
		Short: "The catalogue of policies, or one with its parameters",
		Example: `  fairbridge policies
  fairbridge policies tiresias
  fairbridge policies --json`,
		Args: cli.CheckArgs(cobra.MaximumNArgs(1)), ValidArgsFunction: completePolicyName,
		RunE: func(c *cobra.Command, a []string) error {
			list := catalogue.Systems()
			if len(a) == 1 {
				e, err := catalogue.FindSystem(a[0])
				if err != nil {
					return cli.NewUsageError(err)
				}
				list = []paper.System{e}
			}
			switch {
			case o.JSON:
				return output.WriteJSON(c.OutOrStdout(), list)
			case len(a) == 1:
				printPolicy(c.OutOrStdout(), &list[0])
			default:
				printPolicies(c.OutOrStdout(), catalogue.Groups())
			}
			return nil
		},
	})
}

// completePolicyName offers the names of the catalogue to a shell.
func completePolicyName(_ *cobra.Command, a []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if len(a) == 0 {
		for _, e := range catalogue.Systems() {
			names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// printPolicies prints the catalogue by what its systems need and are good for.
func printPolicies(w io.Writer, groups []catalogue.Group) {
	for _, g := range groups {
		printable.Fprintf(w, "%s\n", strings.ToUpper(g.Title))
		output.WriteParagraph(w, "  good for  ", g.GoodFor)
		output.WriteParagraph(w, "  needs     ", g.Needs)
		printable.Fprintf(w, "\n")
		t := output.NewTable(w, "NAME", "SOURCE", "IDEA")
		for _, e := range g.Systems {
			t.AddRow(e.Name, formatVenueAndYear(&e), e.Idea+starvationTag(&e))
		}
		t.Print()
		printable.Fprintf(w, "\n")
	}
	printable.Fprintf(w, "may starve: %s.\nMore on one, with its parameters: fairbridge policies NAME\n", starvationHelp)
}

// starvationHelp explains the tag.
const starvationHelp = "where jobs must not be stopped, a large one may wait for max_wait while later ones pass it"

// starvationTag says behind the idea what to beware of.
func starvationTag(e *paper.System) string {
	if e.MayStarve {
		return " [may starve]"
	}
	return ""
}

func starvationWarning(e *paper.System) string {
	if e.MayStarve {
		return starvationHelp
	}
	return ""
}

func formatVenueAndYear(e *paper.System) string {
	if e.Year == 0 {
		return e.Venue
	}
	return fmt.Sprintf("%s %d", e.Venue, e.Year)
}

func printPolicy(w io.Writer, e *paper.System) {
	printable.Fprintf(w, "%s: %s\n\n", e.Name, e.Title)
	for _, row := range [][2]string{
		{"idea", e.Idea}, {"source", e.Cite}, {"stages", strings.Join(e.OwnStages, ", ")},
		{"needs", strings.Join(e.NeededInputs, ", ")}, {"else", e.Fallback}, {"reproduced", e.Reproduced}, {"may starve", starvationWarning(e)}, {"not live", e.ObserveOnly},
	} {
		if row[1] != "" {
			output.WriteParagraph(w, fmt.Sprintf("  %-11s ", row[0]), row[1])
		}
	}
	for i, deviation := range e.Deviations {
		label := "differs"
		if i > 0 {
			label = ""
		}
		output.WriteParagraph(w, fmt.Sprintf("  %-11s ", label), deviation)
	}
	if len(e.Params) == 0 {
		return
	}
	printable.Fprintf(w, "\n")
	t := output.NewTable(w, "PARAMETER", "DEFAULT", "MEANING")
	for _, p := range e.Params {
		help := p.Help
		if len(p.Choices) > 0 {
			help += " (" + strings.Join(p.Choices, ", ") + ")"
		}
		t.AddRow(p.Name, p.Default, help)
	}
	t.Print()
}
