package demo

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is a program that runs beside the demonstration and ends with it,
// however that ends.
type process struct {
	name       string
	cmd        *exec.Cmd
	outputTail *outputTail
	done       chan struct{}
	err        error // valid when done
}

// startProcess starts a program in a process group of its own, so that Ctrl-C reaches
// it through us and in our order. What it says goes to a log file.
func startProcess(name string, cmd *exec.Cmd, logPath string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	c := &process{name: name, cmd: cmd, outputTail: &outputTail{}, done: make(chan struct{})}
	both := io.MultiWriter(c.outputTail, log)
	cmd.Stdout, cmd.Stderr = both, both
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig counts the death of the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
		_ = log.Close()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return c, nil
}

// checkRunning returns why the program ended by itself, or nil while it runs.
func (c *process) checkRunning() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended: %v: %s", c.name, c.err, c.outputTail)
	default:
		return nil
	}
}

// stopTimeout is how long a program has to end: fairbridge itself gives its parts 30 s.
const stopTimeout = 40 * time.Second

// stop asks the program to end, and ends it when it does not.
func (c *process) stop() error {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
		return nil
	case <-time.After(stopTimeout):
	}
	_ = c.cmd.Process.Kill()
	<-c.done
	return fmt.Errorf("%s did not end within %v of SIGTERM and was killed", c.name, stopTimeout)
}

// outputTail keeps the end of what a program says.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

var _ io.Writer = (*outputTail)(nil)

func (t *outputTail) Write(p []byte) (int, error) {
	const most = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(len(t.text)-most, 0):]
	return len(p), nil
}

func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
