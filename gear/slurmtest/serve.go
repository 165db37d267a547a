package slurmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"fairbridge/gear/slurmtest/records"
)

// maxBodyBytes is the most slurmrestd reads.
const maxBodyBytes = 50 << 20

// ServeHTTP answers one request as slurmrestd would, faults permitting.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		http.Error(w, "Body too large", http.StatusRequestEntityTooLarge)
		return
	}
	s.mu.Lock()
	f := s.faults.strike(r.Method, r.URL.Path)
	s.mu.Unlock()
	if f.Kind == FaultSlowReply {
		s.sleep(f.Delay)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceWorld()
	c, out := newRequest(r, body), &responder{httpWriter: w}
	defer func() {
		s.calls = append(s.calls, Call{
			Method: c.method, Path: c.path, Query: r.URL.RawQuery, Body: string(body), User: c.user, HTTPStatus: out.status, IsWrite: c.isWrite(),
		})
	}()
	w.Header().Set("Date", s.slurmrestd.world.Now().UTC().Format(http.TimeFormat))
	if !f.answerInstead(out, s.slurmrestd.newReadHandler(c)) {
		s.answerWithFault(c, f, out)
	}
}

// answerWithFault does what is asked, and spoils the answer if the fault says so.
func (s *Server) answerWithFault(c *request, f Fault, out *responder) {
	switch f.Kind {
	case FaultLateEffect:
		w := s.slurmrestd.world
		w.ScheduleAt(w.Now().Add(f.Delay), func() { s.handle(c) })
		out.resetConnection()
		return
	case FaultDoneTwice:
		s.handle(c)
	}
	f.deliver(out, s.handle(c))
}

// handle answers for slurmrestd, and for scontrol.
func (s *Server) handle(c *request) reply {
	if !strings.HasPrefix(c.path, "/scontrol") {
		return s.slurmrestd.handle(c)
	}
	var q ScontrolRequest
	if c.method != http.MethodPost || json.Unmarshal(c.body, &q) != nil {
		return reply{status: http.StatusBadRequest, text: "want POST {\"user\":…,\"args\":[…]}"}
	}
	c.user = q.User
	text, status := s.slurmrestd.newCommands(q.User).run(q.Args)
	return reply{status: http.StatusOK, body: records.NewObject("output", text, "status", status)}
}

// ScontrolRequest is the body of POST /scontrol, by which a stand-in program
// in another process reaches RunScontrol.
type ScontrolRequest struct {
	User string   `json:"user"`
	Args []string `json:"args"`
}

// ScontrolReply is the answer.
type ScontrolReply struct {
	Output string `json:"output"`
	Status int    `json:"status"`
}
