package ask

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

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
