package main

import (
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/settings"
)

func newConfigCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use: "config", Short: "Write an example configuration, or check yours",
		Example: "  fairbridge config example > fairbridge.yaml\n  fairbridge -c fairbridge.yaml config check",
	})
	c.AddCommand(
		&cobra.Command{
			Use: "example", Short: "Print a commented configuration with all defaults", Args: cli.CheckArgs(cobra.NoArgs),
			Example: "  fairbridge config example > /etc/fairbridge/fairbridge.yaml",
			RunE: func(c *cobra.Command, _ []string) error {
				printable.Fprintlines(c.OutOrStdout(), settings.Example)
				return nil
			},
		},
		&cobra.Command{
			Use: "check", Short: "Report every problem of the configuration, with line and column", Args: cli.CheckArgs(cobra.NoArgs),
			Example: "  fairbridge -c ./fairbridge.yaml config check",
			RunE: func(c *cobra.Command, _ []string) error {
				f, err := o.LoadSettings()
				if err != nil {
					return err
				}
				printable.Fprintf(c.OutOrStdout(), "%s is fine.\n", o.ConfigPath)
				for _, line := range f.DescribeCanaries(time.Now()) {
					printable.Fprintln(c.OutOrStdout(), line)
				}
				return nil
			},
		})
	return c
}
