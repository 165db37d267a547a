package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
)

func newExpireCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "expire",
		Short: "Give back what a daemon that died left in Slurm; for a timer",
		Long: `Give back what a daemon that died left in Slurm and does not end by itself. It is
run every minute by fairbridge-expire.timer. While a daemon leads it does nothing
but note in the database that it ran: the daemon names nodes for jobs only while
that note is younger than three minutes.

When no daemon has led for a minute, or leader.ttl where that is longer, node lists
are given back, and after ten minutes order numbers too. Only values that are still
exactly what we wrote are touched. While Postgres is down it gives back the node
lists that the local journal knows. A STOP file stops it too: fairbridge release
gives everything back all the same.`,
		Example: `  systemctl enable --now fairbridge-expire.timer
  fairbridge expire`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.OpenSystem(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.DB.Close()
			out, err := s.Expire(c.Context(), c.ErrOrStderr())
			if out != nil && len(out.Edits) > 0 {
				printable.Fprintf(c.OutOrStdout(), "No daemon leads.\n")
				printReleased(c.OutOrStdout(), out, false, true)
			}
			return err
		},
	}
}
