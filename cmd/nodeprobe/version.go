package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/version"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print what this program was built from", Args: checkNoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "nodeprobe", version.ReadInfo())
			return err
		},
	}
}
