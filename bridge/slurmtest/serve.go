package slurmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"fairbridge/bridge/slurmtest/records"
)

// maxBody is the most slurmrestd reads.
const maxBody = 50 << 20

// ServeHTTP answers one request as slurmrestd would, faults permitting.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "Body too large", http.StatusRequestEntityTooLarge)
		return
	}
	s.mu.Lock()
	f := s.faults.next(r.Method, r.URL.Path)
	s.mu.Unlock()
	if f.Kind == Slow {
		s.slow(f.Delay)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	c, out := newRequest(r, body), &responder{w: w}
	defer func() {
		s.calls = append(s.calls, Call{
			Method: c.method, Path: c.path, Query: r.URL.RawQuery, Body: string(body), User: c.user, Status: out.status, Write: c.isWrite(),
		})
	}()
	w.Header().Set("Date", s.slurm.world.Now().UTC().Format(http.TimeFormat))
	if !f.answerInstead(out, s.slurm.newReader(c)) {
		s.carryOut(c, f, out)
	}
}

// carryOut does what is asked, and spoils the answer if the fault says so.
func (s *Server) carryOut(c *request, f Fault, out *responder) {
	switch f.Kind {
	case Late:
		w := s.slurm.world
		w.ScheduleAt(w.Now().Add(f.Delay), func() { s.handle(c) })
		out.reset()
		return
	case Twice:
		s.handle(c)
	}
	f.deliver(out, s.handle(c))
}

// handle answers for slurmrestd, and for scontrol.
func (s *Server) handle(c *request) reply {
	if !strings.HasPrefix(c.path, "/scontrol") {
		return s.slurm.handle(c)
	}
	var q ScontrolRequest
	if c.method != http.MethodPost || json.Unmarshal(c.body, &q) != nil {
		return reply{status: http.StatusBadRequest, text: "want POST {\"user\":…,\"args\":[…]}"}
	}
	c.user = q.User
	text, status := s.slurm.newPrograms(q.User).run(q.Args)
	return reply{status: http.StatusOK, body: records.Object("output", text, "status", status)}
}

// ScontrolRequest is the body of POST /scontrol, by which a stand-in program
// in another process reaches Scontrol.
type ScontrolRequest struct {
	User string   `json:"user"`
	Args []string `json:"args"`
}

// ScontrolReply is the answer.
type ScontrolReply struct {
	Output string `json:"output"`
	Status int    `json:"status"`
}
