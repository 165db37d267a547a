package ask

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

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
