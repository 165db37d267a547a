package child

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"fairbridge/nodeprobe"
)

// maxLineBytes bounds a sample.
const maxLineBytes = 4 << 20

// process is one child.
type process struct {
	cmd          *exec.Cmd
	stdin        io.WriteCloser
	answerLines  chan []byte   // its answers; closed when its output ends
	ended        chan struct{} // closed when it has ended
	exitError    error         // how, once ended is closed
	stderr       stderrHead
	awaitsAnswer bool // it was asked before
	isHung       bool // it did not answer in time
}

// startProcess starts the command. It gets a process group of its own, so that Ctrl-C
// at a terminal does not hit it within a call to the driver.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, answerLines: make(chan []byte, 1), ended: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = &p.stderr
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the reader of the driver: %w", err)
	}
	go p.forwardAnswers(out)
	return p, nil
}

// forwardAnswers passes answers on until the output ends, then reaps the child. An
// answer that is no longer waited for is dropped.
func (p *process) forwardAnswers(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		select {
		case p.answerLines <- bytes.Clone(lines.Bytes()):
		default:
		}
	}
	close(p.answerLines)
	_, _ = io.Copy(io.Discard, out) // after a line that is too long
	p.exitError = p.cmd.Wait()
	close(p.ended)
}

// whyEnded says how a child ended, and whether it did within the grace: one can
// close its output and still hang in the driver.
func (p *process) whyEnded(grace time.Duration) (err error, ended bool) {
	select {
	case <-p.ended:
	case <-time.After(grace):
		return errors.New("the reader of the driver stopped answering but has not ended"), false
	}
	if said := p.stderr.firstLine(); said != "" {
		return fmt.Errorf("the reader of the driver ended: %v: %s", p.exitError, said), true
	}
	return fmt.Errorf("the reader of the driver ended: %v", p.exitError), true
}

func decodeSample(line []byte) (s nodeprobe.Sample, err error) {
	if err = json.Unmarshal(line, &s); err != nil {
		err = fmt.Errorf("the reader of the driver answered garbage: %w", err)
	}
	return s, err
}

// stderrHead keeps the beginning of what is written, where crashing programs say why.
type stderrHead struct {
	mu   sync.Mutex
	text []byte
}

func (h *stderrHead) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), 400-len(h.text))]...)
	return len(b), nil
}

func (h *stderrHead) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = h.text[:0]
}

// firstLine returns the first line kept.
func (h *stderrHead) firstLine() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, _ := bytes.Cut(h.text, []byte("\n"))
	return string(bytes.TrimSpace(line))
}
