package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/version"
)

func newVersion(o *options) *cobra.Command {
	return o.reader(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  fairbridge version
  fairbridge version --json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.json {
				return output.JSON(c.OutOrStdout(), version.Read())
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "fairbridge", version.Read())
			return err
		},
	})
}

// made says by which release a page was made.
func made() string {
	v := version.Read()
	return fmt.Sprintf("Made by fairbridge %s (%s).", v.Version, v.Commit)
}
