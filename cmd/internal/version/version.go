// Package version says which release a program is: the same for all programs of
// this module.
package version

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// tag is the release as git describes it, commit what it was built from. The Makefile has
// the linker set them; without, the build information of the Go tool is what there is.
var tag, commit string

// Info is a program's release.
type Info struct {
	Version string `json:"version"` // a tag of git, or what is nearest to one; "dev" where nothing is known
	Commit  string `json:"commit"`  // its first twelve digits, or "unknown"
	Go      string `json:"go"`      // release of the compiler
}

// ReadInfo returns the release of the running program.
func ReadInfo() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return newInfo(tag, commit, info)
}

func newInfo(tag, commit string, b *debug.BuildInfo) Info {
	v := Info{Version: tag, Commit: commit, Go: b.GoVersion}
	if b.Main.Version != "(devel)" {
		v.Version = cmp.Or(v.Version, b.Main.Version)
	}
	v.Version = cmp.Or(v.Version, "dev")
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = cmp.Or(v.Commit, s.Value)
		}
	}
	v.Commit = cmp.Or(v.Commit[:min(12, len(v.Commit))], "unknown")
	return v
}

// String is the release in a line, after the program's name.
func (v Info) String() string { return fmt.Sprintf("%s (%s, %s)", v.Version, v.Commit, v.Go) }

// AddFlag gives a program its --version.
func AddFlag(c *cobra.Command) {
	c.Version = ReadInfo().String()
	c.Flags().Bool("version", false, "print the version")
	c.SetVersionTemplate("{{.Name}} {{.Version}}\n")
}
