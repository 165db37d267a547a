package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fairbridge/api"
)

// statusWriter remembers which status was written.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader writes the status once.
func (w *statusWriter) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
		w.ResponseWriter.WriteHeader(code)
	}
}

// Write writes a part of the body.
func (w *statusWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap returns what it writes to, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// status is what was written.
func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}

// reply is an answer with its headers set, ready to be sent.
type reply struct {
	status int
	body   []byte
}

// encode makes an answer a reply, as JSON.
func (e *exchange) encode(answer any, isPublic bool) (reply, error) {
	body, err := json.Marshal(answer)
	if err != nil {
		return reply{}, fmt.Errorf("writing the answer: %w", err)
	}
	e.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	return e.newReply(append(body, '\n'), isPublic), nil
}

// newReply is a body as it is to be sent: packed where that is asked for, and none where the
// sender has it. The tag is of the bytes and of who sees them.
func (e *exchange) newReply(body []byte, isPublic bool) reply {
	header := e.w.Header()
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q ", e.viewer.Origin, e.viewer.User)
	hash.Write(body)
	tag := `W/"` + hex.EncodeToString(hash.Sum(nil)[:16]) + `"`
	header.Set("ETag", tag)
	header.Set("Vary", "Accept-Encoding, Authorization, Cookie")
	if isPublic {
		header.Set("Cache-Control", "no-cache")
	}
	if e.isRead() && matchesTag(e.r.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Type")
		return reply{status: http.StatusNotModified}
	}
	if len(body) >= smallestPacked && acceptsGzip(e.r) {
		body = pack(body)
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if e.r.Method == http.MethodHead {
		body = nil
	}
	return reply{http.StatusOK, body}
}

// send sends a reply.
func (e *exchange) send(r reply) {
	e.w.WriteHeader(r.status)
	if len(r.body) > 0 {
		_, _ = e.w.Write(r.body) // who does not read it any more has gone
	}
}

func (e *exchange) isRead() bool {
	return e.r.Method == http.MethodGet || e.r.Method == http.MethodHead
}

// smallestPacked is from how many bytes on packing is worth it.
const smallestPacked = 1400

func pack(body []byte) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is one
	_, _ = z.Write(body)                                 // a buffer takes all
	_ = z.Close()
	return packed.Bytes()
}

// acceptsGzip reports whether the sender unpacks gzip.
func acceptsGzip(r *http.Request) bool {
	for _, line := range r.Header.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(item, ";")
			_, quality, hasQuality := strings.Cut(params, "q=")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				q, err := strconv.ParseFloat(strings.TrimSpace(quality), 64)
				return !hasQuality || err == nil && q > 0
			}
		}
	}
	return false
}

// matchesTag reports whether the tag is one that the sender has.
func matchesTag(lines []string, tag string) bool {
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			item = strings.TrimSpace(item)
			if item == "*" || strings.TrimPrefix(item, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// errorBody is how an error is told.
type errorBody struct {
	Error *api.Error `json:"error"`
}

// writeError tells an error, unless an answer is on its way.
func (e *exchange) writeError(told *api.Error) {
	if e.w.code != 0 {
		return
	}
	header := e.w.Header()
	header.Del("ETag")
	header.Del("Content-Encoding")
	body, err := json.Marshal(errorBody{told})
	if err != nil { // a struct of texts has none
		body = nil
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)+1))
	if header.Get("Retry-After") == "" && (told.Code == api.CodeTooMany || told.Code == api.CodeUnavailable) {
		header.Set("Retry-After", retryAfter(time.Second))
	}
	e.w.WriteHeader(statusOf(told))
	if e.r.Method != http.MethodHead {
		_, _ = e.w.Write(append(body, '\n'))
	}
}

// statusOf is the status of an error. A method that a path does not take has one of its own.
func statusOf(told *api.Error) int {
	if told == errWrongMethod {
		return http.StatusMethodNotAllowed
	}
	return told.Status()
}

// setRetry has a refusal say when to come back.
func (e *exchange) setRetry(err error) {
	var many *tooManyError
	if errors.As(err, &many) {
		e.w.Header().Set("Retry-After", retryAfter(many.wait))
	}
}
