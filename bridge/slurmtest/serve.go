package slurmtest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim"
)

// noEndpoint is what slurmrestd says about paths it does not know, versions
// included.
const noEndpoint = "Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint for a list of all endpoints."

// maxBody is the most slurmrestd reads.
const maxBody = 50 << 20

// request is one request under way.
type request struct {
	v     int // API version
	tail  string
	user  string
	body  []byte
	query map[string][]string
	r     *http.Request
	call  Call
}

// reply is an answer: JSON, or text when body is nil.
type reply struct {
	status int
	body   map[string]any
	text   string
}

// ServeHTTP answers one request as slurmrestd would, faults permitting.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "Body too large", http.StatusRequestEntityTooLarge)
		return
	}
	s.mu.Lock()
	f := s.strikes(r.Method, r.URL.Path)
	s.mu.Unlock()
	if f.Kind == Slow {
		s.cfg.Slow(f.Delay)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	c := &request{r: r, body: body, query: r.URL.Query()}
	c.v, c.tail = split(r.URL.Path)
	c.call = Call{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body), Write: writes(r, c.tail),
	}
	defer func() { s.calls = append(s.calls, c.call) }()
	w.Header().Set("Date", s.world.Now().UTC().Format(http.TimeFormat))
	if f.Kind != "" && s.answered(w, f, c) {
		return
	}
	s.carryOut(w, f, c)
}

// carryOut does what is asked, and spoils the answer if the fault says so.
func (s *Server) carryOut(w http.ResponseWriter, f Fault, c *request) {
	switch f.Kind {
	case Late:
		s.world.At(s.world.Now().Add(f.Delay), func() { s.handle(c) })
		reset(w)
		return
	case Twice:
		s.handle(c)
	}
	out := s.handle(c)
	falsify(out, f)
	switch f.Kind {
	case Lost:
		reset(w)
	case Truncated, Short:
		s.cut(w, c, out, f)
	default:
		s.send(w, c, out)
	}
}

// handle finds the caller and the endpoint.
func (s *Server) handle(c *request) reply {
	if strings.HasPrefix(c.r.URL.Path, "/scontrol") {
		return s.scontrolCall(c)
	}
	user, here, good := s.who(c.r)
	c.user, c.call.User = user, user
	if !here {
		return reply{status: http.StatusUnauthorized, text: "Authentication failure"}
	}
	if path := strings.TrimSuffix(c.r.URL.Path, "/"); strings.HasPrefix(path, "/openapi") {
		return s.openapi()
	}
	if v, name, ok := userPath(c.r.URL.Path); ok && s.serves(v) && c.r.Method == http.MethodGet {
		c.v = v
		return s.user(c, name, good)
	}
	if !s.serves(c.v) {
		return reply{status: http.StatusNotFound, text: noEndpoint}
	}
	return s.route(c, good)
}

func (s *Server) serves(v int) bool {
	for _, x := range s.cfg.Versions {
		if x == v {
			return true
		}
	}
	return false
}

// split takes "/slurm/v0.0.45/job/7/" apart: 45 and "job/7".
func split(path string) (version int, tail string) {
	rest, ok := strings.CutPrefix(path, "/slurm/v0.0.")
	if !ok {
		return 0, ""
	}
	v, tail, _ := strings.Cut(rest, "/")
	version, _ = strconv.Atoi(v)
	return version, strings.TrimSuffix(tail, "/")
}

// now is the world's time in whole seconds.
func now(w *sim.World) int64 { return w.Now().Truncate(time.Second).Unix() }
