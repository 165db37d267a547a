// Package manpages writes the manual pages of a program. Only files with the build tag manpages import it, so that no
// program that is installed holds it: go run -tags manpages ./cmd/fairbridge DIR.
package manpages

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"fairbridge/cmd/internal/version"
)

// Main writes the pages of a program into the folder that the command line names, and ends the program.
func Main(root *cobra.Command) {
	err := fmt.Errorf("want the folder for the pages of %s", root.Name())
	if len(os.Args) == 2 {
		err = Write(root, os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Write writes one page for each command that help shows into a folder, which it makes.
func Write(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of manual pages: %w", err)
	}
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: root.Name() + " " + version.ReadInfo().Version}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("writing manual pages: %w", err)
	}
	return nil
}
