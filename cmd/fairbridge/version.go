package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/version"
)

func newVersion(o *cli.Options) *cobra.Command {
	return o.WithJSON(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  fairbridge version
  fairbridge version --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.JSON {
				return output.JSON(c.OutOrStdout(), version.Read())
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "fairbridge", version.Read())
			return err
		},
	})
}
