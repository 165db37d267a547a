package slurmtest

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"time"
)

// texts are the faults that are a fixed answer.
var texts = map[Kind]struct {
	status     int
	kind, body string
}{
	Empty:     {http.StatusOK, "text/plain", ""},
	HTML:      {http.StatusOK, "text/html", "<html><body><h1>Welcome to the portal</h1></body></html>"},
	Garbage:   {http.StatusOK, "application/json", "\x00\xff{jobs: [}"},
	Denied:    {http.StatusUnauthorized, "text/plain", "Authentication failure"},
	NoVersion: {http.StatusNotFound, "text/plain", noEndpoint},
	Gateway:   {http.StatusBadGateway, "text/plain", "Bad Gateway"},
	TooMany:   {http.StatusTooManyRequests, "text/plain", "Too Many Requests"},
}

// answered handles the faults that answer in Slurm's place; nothing is done.
func (s *Server) answered(w http.ResponseWriter, f Fault, c *request) bool {
	if t, ok := texts[f.Kind]; ok {
		if f.Kind == TooMany {
			w.Header().Set("Retry-After", "1")
		}
		w.Header().Set("Content-Type", t.kind)
		w.WriteHeader(t.status)
		_, _ = io.WriteString(w, t.body)
		c.call.Status = t.status
		return true
	}
	number := cmp.Or(f.Number, 1)
	switch f.Kind {
	case Broken:
		s.send(w, c, s.failed(c, cmp.Or(f.Status, http.StatusInternalServerError), number, "injected fault", "slurmtest"))
	case Problems:
		s.send(w, c, s.failed(c, http.StatusOK, number, "injected fault", "slurmtest"))
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

// lists are the keys of what a reply lists.
var lists = []string{"jobs", "nodes", "partitions"}

// falsify makes a good answer lie, as filters, cut lists and bad clocks do.
func falsify(r reply, f Fault) {
	switch f.Kind {
	case Filtered:
		for _, key := range lists {
			if list, ok := r.body[key].([]any); ok {
				r.body[key] = list[:min(f.Keep, len(list))]
			}
		}
	case Clock:
		if stats, ok := r.body["statistics"].(map[string]any); ok {
			stats["req_time"] = moved(stats["req_time"], int64(f.Delay/time.Second))
		}
	}
}

// moved is a time of a reply so many seconds later.
func moved(at any, by int64) any {
	switch n := at.(type) {
	case int64:
		return n + by
	case map[string]any:
		if unix, ok := n["number"].(int64); ok {
			n["number"] = unix + by
		}
	}
	return at
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
