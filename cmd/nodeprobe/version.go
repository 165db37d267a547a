package main

import (
	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/version"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print what this program was built from", Args: checkNoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			printable.Fprintln(c.OutOrStdout(), "nodeprobe", version.ReadInfo())
			return nil
		},
	}
}
