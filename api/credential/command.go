package credential

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// commandTimeout bounds one run of a command; munge itself gives up on a munged that does
// not answer after a few seconds.
const commandTimeout = 10 * time.Second

// maxOutput is the most that is read of what a command prints.
const maxOutput = 8 << 10

// errOutputTooLong ends a command that prints more than a credential or its payload.
var errOutputTooLong = errors.New("it printed more than 8 kB")

// limitedBuffer refuses what does not fit into it.
type limitedBuffer struct {
	text bytes.Buffer // a field: its own ReadFrom would read without bound
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxOutput {
		return 0, errOutputTooLong
	}
	return b.text.Write(p)
}

// commandResult is what a command printed. Exit is its status where it ran to its end, else -1.
type commandResult struct {
	stdout, stderr string
	exit           int
}

// run runs a command with more arguments. An error says that it did not run to its end.
func run(ctx context.Context, command []string, input string, more ...string) (commandResult, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	argv := append(slices.Clone(command), more...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	cmd.Stdin = strings.NewReader(input)
	cmd.WaitDelay = time.Second
	var stdout, stderr limitedBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	result := commandResult{stdout: stdout.text.String(), stderr: firstLine(stderr.text.String()), exit: -1}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() && ctx.Err() == nil {
		result.exit, err = exit.ExitCode(), nil
	} else if err == nil {
		result.exit = 0
	} else if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return result, err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// said is the result as a cause of an error.
func (r commandResult) said(name string) error {
	if r.stderr == "" {
		return errors.New(name + " said nothing")
	}
	return errors.New(strings.TrimPrefix(r.stderr, "munge: Error: "))
}
