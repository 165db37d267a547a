package throwaway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func scriptCommand(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, filepath.Join(dir, name), args...)
}

// runForOutput runs a script and returns its standard output; its standard error goes into the error, and to progress (which
// may be nil) while it runs. When the context ends the script is asked to end, so that it cleans up after itself.
func runForOutput(cmd *exec.Cmd, progress io.Writer) (string, error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Writer(&says)
	if progress != nil {
		cmd.Stderr = io.MultiWriter(&says, progress)
	}
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, strings.TrimSpace(says.String()))
	}
	return out.String(), nil
}
