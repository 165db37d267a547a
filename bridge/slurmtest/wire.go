package slurmtest

import (
	"net/http"
	"slices"
)

// Call is one request as it arrived and what was answered.
type Call struct {
	Method string
	Path   string // without the query
	Query  string
	Body   string
	User   string
	Status int  // 0: no answer was sent
	Write  bool // it could change something
}

// Counts are numbers of requests since the start or the last Reset.
type Counts struct{ Reads, Writes int }

// Counts returns how many reads and writes arrived.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	var c Counts
	for i := range s.calls {
		if s.calls[i].Write {
			c.Writes++
		} else {
			c.Reads++
		}
	}
	return c
}

// Calls returns all requests since the start or the last Reset, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Reset forgets the requests so far.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// writes reports whether a request can change something: everything but GET,
// and the two GETs of Slurm that do.
func writes(r *http.Request, tail string) bool {
	return r.Method != http.MethodGet || tail == "reconfigure" || hasSuffix(tail, "/requeue")
}

func hasSuffix(s, suffix string) bool {
	return len(s) > len(suffix) && s[len(s)-len(suffix):] == suffix
}
