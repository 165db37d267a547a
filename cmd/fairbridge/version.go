package main

import (
	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/version"
)

func newVersionCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  fairbridge version
  fairbridge version --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), version.ReadInfo())
			}
			printable.Fprintln(c.OutOrStdout(), "fairbridge", version.ReadInfo())
			return nil
		},
	})
}
