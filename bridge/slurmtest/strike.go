package slurmtest

import (
	"cmp"
	"io"
	"net/http"
	"strings"
)

// answered handles the faults that answer in Slurm's place; nothing is done.
func (s *Server) answered(w http.ResponseWriter, f Fault, c *request) bool {
	text := func(status int, body string) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/plain")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		c.call.Status = status
	}
	switch f.Kind {
	case Empty:
		text(http.StatusOK, "")
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		text(http.StatusOK, "<html><body><h1>Welcome to the portal</h1></body></html>")
	case Garbage:
		text(http.StatusOK, "\x00\xff{jobs: [}")
	case Denied:
		text(http.StatusUnauthorized, "Authentication failure")
	case NoVersion:
		text(http.StatusNotFound, noEndpoint)
	case Gateway:
		text(http.StatusBadGateway, "Bad Gateway")
	case TooMany:
		w.Header().Set("Retry-After", "1")
		text(http.StatusTooManyRequests, "Too Many Requests")
	case Broken:
		n := cmp.Or(f.Number, 1)
		s.send(w, c, s.failed(c, cmp.Or(f.Status, http.StatusInternalServerError), n, "injected fault", "slurmtest"))
	case Problems:
		s.send(w, c, s.failed(c, http.StatusOK, cmp.Or(f.Number, 1), "injected fault", "slurmtest"))
	case Huge:
		c.call.Status = http.StatusOK
		endless(w, cmp.Or(f.Size, 64<<20))
	case Reset:
		reset(w)
	case NoChange:
		s.send(w, c, s.unchanged(c))
	default:
		return false
	}
	return true
}

// reset ends the connection without an answer.
func reset(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// endless writes a list that never closes, up to size bytes.
func endless(w http.ResponseWriter, size int) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jobs":[`)
	chunk := strings.Repeat(`{"comment":"`+strings.Repeat("x", 1000)+`"},`, 60)
	for sent := 0; sent < size; sent += len(chunk) {
		if _, err := io.WriteString(w, chunk[:min(len(chunk), size-sent)]); err != nil {
			return
		}
	}
	panic(http.ErrAbortHandler)
}
