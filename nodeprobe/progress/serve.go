// Package progress takes what jobs say of their progress, over a socket on their
// node. A job writes one line of JSON and reads one line of JSON back:
//
//	{"epoch": 3, "epochs": 90, "loss": 0.4}
//	{"job": 4711}
//
// Whose report it is the kernel says, by the process at the other end of the
// socket, and not the job: no job can report for another.
package progress

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"

	"fairbridge/nodeprobe"
)

// What a job may take of the probe: so many connections at once, each for so
// long and with so many reports.
const (
	maxConnections        = 32
	lineTimeout           = 5 * time.Second
	maxLinesPerConnection = 100
)

// Server takes reports over a Unix socket.
type Server struct {
	Inbox *Inbox
	// JobOfProcess names the job of a process; it is asked for every connection.
	JobOfProcess func(pid int) nodeprobe.ProcessJob
}

// Serve takes reports until the context ends or the listener fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	var open sync.WaitGroup
	defer open.Wait()
	room := make(chan struct{}, maxConnections)
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("taking reports of progress: %w", err)
		}
		select {
		case room <- struct{}{}:
			open.Go(func() { s.serveConn(c); <-room })
		default:
			_ = c.Close() // the job tries again with its next report
		}
	}
}

// serveConn takes the reports of one connection.
func (s *Server) serveConn(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(lineTimeout))
	answers := json.NewEncoder(c)
	who, uid, err := s.findPeerJob(c)
	if err != nil {
		_ = answers.Encode(Answer{Error: err.Error()})
		return
	}
	lines := bufio.NewScanner(c)
	lines.Buffer(make([]byte, 0, 512), maxLineBytes)
	for n := 0; n < maxLinesPerConnection && lines.Scan(); n++ {
		a := Answer{JobID: who.Job, SLUID: who.SLUID}
		if err := s.Inbox.TakeReportLine(lines.Bytes(), who, uid); err != nil {
			a = Answer{Error: err.Error()}
		}
		if answers.Encode(a) != nil {
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		_ = answers.Encode(Answer{Error: fmt.Sprintf("a report is one line of at most %d bytes", maxLineBytes)})
	}
}

// findPeerJob returns the job and user at the other end. A job that is known only by
// its environment is not believed: that anybody can write.
func (s *Server) findPeerJob(c net.Conn) (nodeprobe.ProcessJob, int, error) {
	cred, err := peerCredentials(c)
	if err != nil {
		return nodeprobe.ProcessJob{}, 0, err
	}
	who := s.JobOfProcess(int(cred.Pid))
	switch {
	case !who.IsKnown():
		return who, 0, fmt.Errorf("process %d is of no Slurm job on this node", cred.Pid)
	case who.KnownBy == "environ":
		return who, 0, fmt.Errorf("process %d says that it is of a Slurm job, but nothing else does: Slurm needs cgroups (ProctrackType=proctrack/cgroup)", cred.Pid)
	}
	return who, int(cred.Uid), nil
}

func peerCredentials(c net.Conn) (*syscall.Ucred, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.New("reports are taken over a Unix socket only")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("asking who reports: %w", err)
	}
	var cred *syscall.Ucred
	var told error
	err = raw.Control(func(fd uintptr) {
		cred, told = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, told); err != nil {
		return nil, fmt.Errorf("asking who reports: %w", err)
	}
	return cred, nil
}

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

// DefaultSocket is where the probe's unit has its socket.
const DefaultSocket = "/run/nodeprobe/progress.sock"

// maxLineBytes bounds a report.
const maxLineBytes = 4 << 10

// Answer is the probe's answer to a report.
type Answer struct {
	JobID int64  `json:"job,omitempty"`   // whose it is
	SLUID string `json:"sluid,omitempty"` // where only that is known
	Error string `json:"error,omitempty"` // why it was not taken
}
