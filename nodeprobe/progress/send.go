package progress

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"time"

	"fairbridge/nodeprobe"
)

// ErrNoProbe says that no probe takes reports on this machine.
var ErrNoProbe = errors.New("no node probe takes reports here: is this a GPU node, and does nodeprobe run with --progress?")

// SendProgress gives the probe a report of the job that the calling process is of and
// returns the probe's answer. The error is ErrNoProbe when there is none, else
// it says why the report was not taken.
func SendProgress(ctx context.Context, path string, p nodeprobe.Progress) (Answer, error) {
	if err := p.Check(); err != nil {
		return Answer{}, err
	}
	line, err := json.Marshal(p)
	if err != nil {
		return Answer{}, fmt.Errorf("writing the report: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lineTimeout)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return Answer{}, fmt.Errorf("%w (%w)", ErrNoProbe, err)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("reaching the node probe: %w", err)
	}
	defer c.Close()
	until, _ := ctx.Deadline()
	_ = c.SetDeadline(until)
	return sendLine(c, append(line, '\n'))
}

// sendLine reads the answer even when writing failed: a probe that refuses says
// why and hangs up.
func sendLine(c net.Conn, line []byte) (Answer, error) {
	_, sent := c.Write(line)
	back, err := bufio.NewReaderSize(c, maxLineBytes).ReadBytes('\n')
	if err != nil {
		return Answer{}, fmt.Errorf("the node probe did not answer within %v: %w", lineTimeout.Round(time.Second), errors.Join(sent, err))
	}
	var a Answer
	if err := json.Unmarshal(back, &a); err != nil {
		return Answer{}, fmt.Errorf("the node probe answered garbage: %w", err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("the node probe refuses the report: %s", a.Error)
	}
	return a, nil
}
