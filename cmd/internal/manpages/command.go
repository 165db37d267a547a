package manpages

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/version"
)

// NewCommand returns the command "manual DIR", which help does not show: packages are made by it. It writes the pages of
// the whole program into DIR, which it makes.
func NewCommand(program string) *cobra.Command {
	return &cobra.Command{
		Use: "manual DIR", Short: "Write the manual pages of all commands into a folder", Hidden: true, Args: cobra.ExactArgs(1),
		Example: "  " + program + " manual /usr/local/share/man/man1",
		RunE: func(c *cobra.Command, args []string) error {
			return write(args[0], Make(c.Root(), version.ReadInfo().Version))
		},
	}
}

func write(dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of manual pages: %w", err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing a manual page: %w", err)
		}
	}
	return nil
}
