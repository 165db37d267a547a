package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"fairbridge/nodeprobe"
)

// maxStuck is how many children may hang in the driver before no more are
// started.
const maxStuck = 2

// grace is how long a child may take from its last output to its end.
const grace = time.Second

// Config says how children are run.
type Config struct {
	Command  func() *exec.Cmd // a program whose main part is Serve
	Deadline time.Duration    // for one sample
	First    time.Duration    // for a new child's first, when longer: a driver can take a while to load
	Pause    time.Duration    // after the second failure in a row; doubled for each further
	MaxPause time.Duration
	Now      func() time.Time
}

// Reader asks a child for samples. But for
// Starts it is not safe for concurrent use.
type Reader struct {
	Config
	child     *process   // nil: none
	stuck     []*process // abandoned, and perhaps still there
	failures  int        // in a row
	notBefore time.Time  // no child is started before
	starts    atomic.Int64
}

// New returns a reader; no child is started before the first question.
func New(c Config) *Reader { return &Reader{Config: c} }

// ErrNoAnswer says that the driver did not answer in time.
var ErrNoAnswer = errors.New("the driver does not answer")

// StartCount returns how many children were started. It is safe to call any time.
func (r *Reader) StartCount() int { return int(r.starts.Load()) }

// StuckCount returns how many abandoned children have not ended.
func (r *Reader) StuckCount() int {
	var still []*process
	for _, p := range r.stuck {
		select {
		case <-p.ended:
			if p.hung {
				r.notBefore = time.Time{} // the driver came back
			}
		default:
			still = append(still, p)
		}
	}
	r.stuck = still
	return len(still)
}

// Take has a sample taken. The error means that there is none: the child hangs,
// ended, or may not be started yet.
func (r *Reader) Take(ctx context.Context) (nodeprobe.Sample, error) {
	if err := r.ensureChild(); err != nil {
		return nodeprobe.Sample{}, err
	}
	s, err := r.ask(ctx)
	if err != nil {
		r.noteFailure()
		return nodeprobe.Sample{}, err
	}
	r.failures = 0
	return s, nil
}

// ensureChild sees to it that there is a child.
func (r *Reader) ensureChild() (err error) {
	stuck := r.StuckCount()
	switch wait := r.notBefore.Sub(r.Now()); {
	case r.child != nil:
		return nil
	case stuck >= maxStuck:
		return fmt.Errorf("%w: %d readers hang in it; a new one is started when one returns", ErrNoAnswer, stuck)
	case wait > 0:
		return fmt.Errorf("the reader of the driver failed %d times in a row: next try in %v", r.failures, wait.Round(time.Second))
	}
	r.starts.Add(1)
	if r.child, err = start(r.Command()); err != nil {
		r.noteFailure()
	}
	return err
}

func (r *Reader) ask(ctx context.Context) (nodeprobe.Sample, error) {
	patience := r.deadline()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.child.stderr.reset()
	if _, err := r.child.stdin.Write([]byte("\n")); err != nil {
		return nodeprobe.Sample{}, r.whyLost()
	}
	select {
	case line, ok := <-r.child.lines:
		if !ok {
			return nodeprobe.Sample{}, r.whyLost()
		}
		s, err := decodeSample(line)
		if err != nil {
			_ = r.whyLost() // its later answers would be to earlier questions
		}
		return s, err
	case <-ctx.Done():
		r.child.hung = true
		r.abandon()
		return nodeprobe.Sample{}, fmt.Errorf("%w within %v", ErrNoAnswer, patience)
	}
}

// deadline is how long the next answer may take.
func (r *Reader) deadline() time.Duration {
	if r.child.asked {
		return r.Deadline
	}
	r.child.asked = true
	return max(r.First, r.Deadline)
}

// whyLost says why a child that can be talked to no more is gone.
func (r *Reader) whyLost() error {
	p := r.child
	r.abandon()
	err, ended := p.whyEnded(grace)
	if ended {
		r.stuck = r.stuck[:len(r.stuck)-1]
	}
	return err
}

// abandon leaves the child to itself: it ends when its input ends.
func (r *Reader) abandon() {
	_ = r.child.stdin.Close()
	r.stuck = append(r.stuck, r.child)
	r.child = nil
}

// noteFailure makes the next start wait, from the second failure in a row on.
func (r *Reader) noteFailure() {
	r.failures++
	if r.failures > 1 {
		pause := r.Pause << min(r.failures-2, 16)
		r.notBefore = r.Now().Add(min(pause, r.MaxPause))
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
