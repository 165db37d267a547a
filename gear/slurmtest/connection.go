package slurmtest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
)

// responder is where an answer goes, whole or not. It notes the status.
type responder struct {
	httpWriter http.ResponseWriter
	status     int // 0: no answer was sent
}

// sendReply writes the reply.
func (c *responder) sendReply(r reply) {
	b := r.encode()
	c.writeHeader(r, len(b))
	_, _ = c.httpWriter.Write(b)
}

func (c *responder) writeHeader(r reply, length int) {
	kind := "application/json"
	if r.body == nil {
		kind = "text/plain"
	}
	c.httpWriter.Header().Set("Content-Length", strconv.Itoa(length))
	c.startReply(r.status, kind)
}

func (c *responder) startReply(status int, kind string) {
	c.httpWriter.Header().Set("Content-Type", kind)
	c.httpWriter.WriteHeader(status)
	c.status = status
}

// sendText writes what is no reply of Slurm's.
func (c *responder) sendText(status int, kind, body string) {
	c.startReply(status, kind)
	_, _ = io.WriteString(c.httpWriter, body)
}

// sendPart sends the first bytes of a reply, half of it when at is 0: as if that were
// all, or else ending the connection in the middle.
func (c *responder) sendPart(r reply, at int, asIfWhole bool) {
	b := r.encode()
	if at == 0 {
		at = len(b) / 2
	}
	at = min(at, len(b))
	if asIfWhole {
		c.writeHeader(r, at)
		_, _ = c.httpWriter.Write(b[:at])
		return
	}
	c.writeHeader(r, len(b))
	_, _ = c.httpWriter.Write(b[:at])
	if fl, ok := c.httpWriter.(http.Flusher); ok {
		fl.Flush()
	}
	panic(http.ErrAbortHandler)
}

// resetConnection ends the connection without an answer.
func (c *responder) resetConnection() {
	if h, ok := c.httpWriter.(http.Hijacker); ok {
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

// sendEndlessList writes a list that never closes, up to size bytes.
func (c *responder) sendEndlessList(size int) {
	c.startReply(http.StatusOK, "application/json")
	_, _ = io.WriteString(c.httpWriter, `{"jobs":[`)
	chunk := strings.Repeat(`{"comment":"`+strings.Repeat("x", 1000)+`"},`, 60)
	for sent := 0; sent < size; sent += len(chunk) {
		if _, err := io.WriteString(c.httpWriter, chunk[:min(len(chunk), size-sent)]); err != nil {
			return
		}
	}
	panic(http.ErrAbortHandler)
}
