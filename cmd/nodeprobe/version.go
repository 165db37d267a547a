package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print what this program was built from", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version())
			return err
		},
	}
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "nodeprobe (unknown build)"
	}
	text := "nodeprobe " + info.Main.Version + ", " + info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += ", commit " + s.Value
		}
	}
	return text
}
