package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in releases.
var version = "dev"

type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

func newVersion(o *options) *cobra.Command {
	return o.reader(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  fairbridge version
  fairbridge version --json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			v := versionInfo{Version: version, Commit: commit(), Go: runtime.Version()}
			if o.json {
				return printJSON(c.OutOrStdout(), v)
			}
			fmt.Fprintf(c.OutOrStdout(), "fairbridge %s (%s, %s)\n", v.Version, v.Commit, v.Go)
			return nil
		},
	})
}

func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "unknown"
}
