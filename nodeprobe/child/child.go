// Package child keeps the reading of the driver in a process of its own. A call
// into a sick driver can hang where not even SIGKILL ends it, or crash; then
// the child is abandoned or replaced and the probe lives on.
//
// An abandoned child is never killed, since that is known to freeze GPUs: its
// pipes are closed and it ends by itself once the driver returns. At most two
// children exist at any time, so a hanging driver does not collect processes.
package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"fairbridge/nodeprobe"
)

// maxStuckChildren is how many children may hang in the driver before no more are
// started.
const maxStuckChildren = 2

// exitGrace is how long a child may take from its last output to its end.
const exitGrace = time.Second

// Config says how children are run.
type Config struct {
	Command         func() *exec.Cmd // a program whose main part is Serve
	Deadline        time.Duration    // for one sample
	FirstDeadline   time.Duration    // for a new child's first, when longer: a driver can take a while to load
	RestartPause    time.Duration    // after the second failure in a row; doubled for each further
	MaxRestartPause time.Duration
	Now             func() time.Time
}

// Reader asks a child for samples. But for
// Starts it is not safe for concurrent use.
type Reader struct {
	Config
	child         *process   // nil: none
	stuckChildren []*process // abandoned, and perhaps still there
	failureCount  int        // in a row
	noStartBefore time.Time  // no child is started before
	startCount    atomic.Int64
}

// New returns a reader; no child is started before the first question.
func New(c Config) *Reader { return &Reader{Config: c} }

// ErrNoAnswer says that the driver did not answer in time.
var ErrNoAnswer = errors.New("the driver does not answer")

// StartCount returns how many children were started. It is safe to call any time.
func (r *Reader) StartCount() int { return int(r.startCount.Load()) }

// StuckCount returns how many abandoned children have not ended.
func (r *Reader) StuckCount() int {
	var still []*process
	for _, p := range r.stuckChildren {
		select {
		case <-p.ended:
			if p.isHung {
				r.noStartBefore = time.Time{} // the driver came back
			}
		default:
			still = append(still, p)
		}
	}
	r.stuckChildren = still
	return len(still)
}

// TakeSample has a sample taken. The error means that there is none: the child hangs,
// ended, or may not be started yet.
func (r *Reader) TakeSample(ctx context.Context) (nodeprobe.Sample, error) {
	if err := r.ensureChild(); err != nil {
		return nodeprobe.Sample{}, err
	}
	s, err := r.requestSample(ctx)
	if err != nil {
		r.noteFailure()
		return nodeprobe.Sample{}, err
	}
	r.failureCount = 0
	return s, nil
}

// ensureChild sees to it that there is a child.
func (r *Reader) ensureChild() (err error) {
	stuck := r.StuckCount()
	switch wait := r.noStartBefore.Sub(r.Now()); {
	case r.child != nil:
		return nil
	case stuck >= maxStuckChildren:
		return fmt.Errorf("%w: %d readers hang in it; a new one is started when one returns", ErrNoAnswer, stuck)
	case wait > 0:
		return fmt.Errorf("the reader of the driver failed %d times in a row: next try in %v", r.failureCount, wait.Round(time.Second))
	}
	r.startCount.Add(1)
	if r.child, err = startProcess(r.Command()); err != nil {
		r.noteFailure()
	}
	return err
}

func (r *Reader) requestSample(ctx context.Context) (nodeprobe.Sample, error) {
	patience := r.deadline()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.child.stderr.reset()
	if _, err := r.child.stdin.Write([]byte("\n")); err != nil {
		return nodeprobe.Sample{}, r.whyChildFailed()
	}
	select {
	case line, ok := <-r.child.answerLines:
		if !ok {
			return nodeprobe.Sample{}, r.whyChildFailed()
		}
		s, err := decodeSample(line)
		if err != nil {
			_ = r.whyChildFailed() // its later answers would be to earlier questions
		}
		return s, err
	case <-ctx.Done():
		r.child.isHung = true
		r.abandonChild()
		return nodeprobe.Sample{}, fmt.Errorf("%w within %v", ErrNoAnswer, patience)
	}
}

// deadline is how long the next answer may take.
func (r *Reader) deadline() time.Duration {
	if r.child.awaitsAnswer {
		return r.Deadline
	}
	r.child.awaitsAnswer = true
	return max(r.FirstDeadline, r.Deadline)
}

// whyChildFailed says why a child that can be talked to no more is gone.
func (r *Reader) whyChildFailed() error {
	p := r.child
	r.abandonChild()
	err, ended := p.whyEnded(exitGrace)
	if ended {
		r.stuckChildren = r.stuckChildren[:len(r.stuckChildren)-1]
	}
	return err
}

// abandonChild leaves the child to itself: it ends when its input ends.
func (r *Reader) abandonChild() {
	_ = r.child.stdin.Close()
	r.stuckChildren = append(r.stuckChildren, r.child)
	r.child = nil
}

// noteFailure makes the next start wait, from the second failure in a row on.
func (r *Reader) noteFailure() {
	r.failureCount++
	if r.failureCount > 1 {
		pause := r.RestartPause << min(r.failureCount-2, 16)
		r.noStartBefore = r.Now().Add(min(pause, r.MaxRestartPause))
	}
}

// Close lets the child end, waiting for at most so long; one that hangs is
// left alone.
func (r *Reader) Close(wait time.Duration) error {
	if r.child == nil {
		return nil
	}
	p := r.child
	r.child = nil
	_ = p.stdin.Close()
	select {
	case <-p.ended:
		return nil
	case <-time.After(wait):
		return fmt.Errorf("%w: its reader (process %d) is left to end by itself", ErrNoAnswer, p.cmd.Process.Pid)
	}
}

// Serve is the child's part: for every line on in it takes a sample and writes
// it as a line to out, until in ends.
func Serve(in io.Reader, out io.Writer, take func() nodeprobe.Sample) error {
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	for {
		if _, err := lines.ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("waiting to be asked: %w", err)
		}
		if err := answers.Encode(take()); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
}
