package throwaway

import (
	"context"
	"fmt"
	"io"
	"os"

	"fairbridge/scripts"
)

// InstallSlurm installs from the distribution what the throw-away Slurm and Postgres need and this machine lacks, as root or
// by sudo, and tells progress of it a line at a time; nothing is done where nothing is lacking. No service is started.
// Where it cannot (another distribution, no root), the error says in a sentence what is missing.
func InstallSlurm(ctx context.Context, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "fairbridge-ensure-")
	if err != nil {
		return fmt.Errorf("unpacking the installer: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := scripts.UnpackTo(dir); err != nil {
		return fmt.Errorf("unpacking the installer: %w", err)
	}
	if _, err := runForOutput(scriptCommand(ctx, dir, "ensure", "--check"), nil); err == nil {
		return nil
	}
	if _, err := runForOutput(scriptCommand(ctx, dir, "ensure"), progress); err != nil {
		return fmt.Errorf("installing what is missing: %w", err)
	}
	return nil
}
