// Package credential proves by munge, which every Slurm site runs, who sends a request:
// the client encodes a credential for one request, the daemon decodes it. A credential is
// good for that request alone, once, and for a short time.
//
// Both sides run munge's own commands, so that neither holds its key or links its library.
package credential

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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

// payloadVersion begins each payload: a credential that was made for something else, such
// as Slurm, is none for us.
const payloadVersion = "fairbridge-request-1 "

// NewPayload binds a credential to one request: a captured one is good for nothing else.
// The URI is the path with the query as sent, the host what the Host header says. What it
// returns is short whatever they are, and tells none of it to who may decode it too.
func NewPayload(method, requestURI, host string, body []byte) string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(method), []byte(requestURI), []byte(host), body} {
		// With its length, so that no two requests run together to the same text.
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	return payloadVersion + hex.EncodeToString(sum.Sum(nil))
}
