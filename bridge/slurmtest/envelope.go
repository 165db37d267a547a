package slurmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurmtest/wire"
)

// meta is what surrounds every reply.
func (s *Server) meta(v int) (key string, value any) {
	release := s.world.Version()
	parts := append(strings.Split(release, "."), "0", "0", "0")
	if s.old() {
		n := func(i int) int { k, _ := strconv.Atoi(parts[i]); return k }
		return "meta", wire.Object(
			"plugin", wire.Object("type", fmt.Sprintf("openapi/v0.0.%d", v), "name", fmt.Sprintf("Slurm OpenAPI v0.0.%d", v)),
			"Slurm", wire.Object("version", wire.Object("major", n(0), "minor", n(1), "micro", n(2)), "release", release))
	}
	return "meta", wire.Object(
		"plugin", wire.Object("type", "openapi/slurmctld", "name", "Slurm OpenAPI slurmctld",
			"data_parser", fmt.Sprintf("data_parser/v0.0.%d", v), "accounting_storage", "accounting_storage/slurmdbd"),
		"client", wire.Object("source", "127.0.0.1:6820(fd:11)", "user", "root", "group", "root"), "command", []string{},
		"slurm", wire.Object("version", wire.Object("major", parts[0], "minor", parts[1], "micro", parts[2]),
			"release", release, "cluster", s.world.Cluster()))
}

// ok makes a good reply from keys and values.
func (s *Server) ok(c *request, pairs ...any) reply {
	body := wire.Object(pairs...)
	k, m := s.meta(c.v)
	body[k], body["errors"] = m, []any{}
	if !s.old() {
		body["warnings"] = []any{}
	}
	return reply{status: http.StatusOK, body: body}
}

// failed makes a reply with one entry in errors[].
func (s *Server) failed(c *request, status, number int, text, source string, pairs ...any) reply {
	r := s.ok(c, pairs...)
	r.status = status
	r.body["errors"] = []any{problem(number, text, source)}
	return r
}

func problem(number int, text, source string) any {
	return wire.Object("description", source+" failed", "error_number", number, "error", text, "source", source)
}

// status is how the release answers a refusal by slurmctld.
func (s *Server) status(number int) int {
	switch {
	case number == sim.NoSuchJob && !s.old():
		return http.StatusNotFound
	case s.newest():
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// warn adds an entry to warnings[].
func (r *reply) warn(description, source string) {
	list, _ := r.body["warnings"].([]any)
	r.body["warnings"] = append(list, wire.Object("description", description, "source", source))
}

// bytes are the reply as it goes over the wire.
func (r reply) bytes() []byte {
	if r.body == nil {
		return []byte(r.text)
	}
	b, err := json.Marshal(r.body)
	if err != nil {
		panic(fmt.Sprintf("slurmtest: a reply cannot be written: %v", err)) // only values made here go in
	}
	return b
}

// send writes the reply.
func (s *Server) send(w http.ResponseWriter, c *request, r reply) {
	s.head(w, c, r, len(r.bytes()))
	_, _ = w.Write(r.bytes())
}

func (s *Server) head(w http.ResponseWriter, c *request, r reply, length int) {
	kind := "application/json"
	if r.body == nil {
		kind = "text/plain"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(r.status)
	c.call.Status = r.status
}

// cut sends the beginning of a reply: Truncated ends the connection in the
// middle, Short pretends that it was all.
func (s *Server) cut(w http.ResponseWriter, c *request, r reply, f Fault) {
	b := r.bytes()
	at := f.At
	if at == 0 {
		at = len(b) / 2
	}
	at = min(at, len(b))
	if f.Kind == Short {
		s.head(w, c, r, at)
		_, _ = w.Write(b[:at])
		return
	}
	s.head(w, c, r, len(b))
	_, _ = w.Write(b[:at])
	if fl, ok := w.(http.Flusher); ok {
		fl.Flush()
	}
	panic(http.ErrAbortHandler)
}
