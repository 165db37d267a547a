package progress

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
