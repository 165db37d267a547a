package slurmtest

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fixedAnswerByKind has the faults that are a fixed answer.
var fixedAnswerByKind = map[FaultKind]struct {
	status     int
	kind, body string
}{
	FaultEmptyBody:       {http.StatusOK, "text/plain", ""},
	FaultHTMLPage:        {http.StatusOK, "text/html", "<html><body><h1>Welcome to the portal</h1></body></html>"},
	FaultGarbageBody:     {http.StatusOK, "application/json", "\x00\xff{jobs: [}"},
	FaultUnauthorised:    {http.StatusUnauthorized, "text/plain", "Authentication failure"},
	FaultNoVersion:       {http.StatusNotFound, "text/plain", noEndpointText},
	FaultBadGateway:      {http.StatusBadGateway, "text/plain", "Bad Gateway"},
	FaultTooManyRequests: {http.StatusTooManyRequests, "text/plain", "Too Many Requests"},
}

// answerInstead answers in Slurm's place, and reports whether the fault is of those
// that do; nothing is done then.
func (f *Fault) answerInstead(c *responder, r *readHandler) bool {
	if t, ok := fixedAnswerByKind[f.Kind]; ok {
		if f.Kind == FaultTooManyRequests {
			c.httpWriter.Header().Set("Retry-After", "1")
		}
		c.sendText(t.status, t.kind, t.body)
		return true
	}
	number := cmp.Or(f.ErrorNumber, 1)
	switch f.Kind {
	case FaultErrorStatus:
		c.sendReply(r.errorReply(cmp.Or(f.HTTPStatus, http.StatusInternalServerError), number, "injected fault", "slurmtest"))
	case FaultErrorsWith200:
		c.sendReply(r.errorReply(http.StatusOK, number, "injected fault", "slurmtest"))
	case FaultHugeList:
		c.sendEndlessList(cmp.Or(f.SizeBytes, 64<<20))
	case FaultConnectionReset:
		c.resetConnection()
	case FaultNoChange:
		c.sendReply(r.unchangedReply())
	default:
		return false
	}
	return true
}

// deliver sends the answer of what was done, or what the fault leaves of it.
func (f *Fault) deliver(c *responder, r reply) {
	f.falsify(r)
	switch f.Kind {
	case FaultLostAnswer:
		c.resetConnection()
	case FaultTruncated:
		c.sendPart(r, f.CutAfterBytes, false)
	case FaultShortBody:
		c.sendPart(r, f.CutAfterBytes, true)
	default:
		c.sendReply(r)
	}
}

// listKeys are the keys of what a reply lists.
var listKeys = []string{"jobs", "nodes", "partitions"}

// falsify makes a good answer lie, as filters, cut lists and bad clocks do.
func (f *Fault) falsify(r reply) {
	switch f.Kind {
	case FaultFilteredList:
		for _, key := range listKeys {
			if list, ok := r.body[key].([]any); ok {
				r.body[key] = list[:min(f.KeepEntries, len(list))]
			}
		}
	case FaultWrongClock:
		if stats, ok := r.body["statistics"].(map[string]any); ok {
			stats["req_time"] = shiftTime(stats["req_time"], int64(f.Delay/time.Second))
		}
	}
}

// shiftTime is a time of a reply so many seconds later.
func shiftTime(at any, by int64) any {
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

// FaultKind is a way to go wrong.
type FaultKind string

// The faults. Unless said otherwise nothing is done and a bad answer is given.
const (
	FaultSlowReply       FaultKind = "slow"      // answer rightly, after Delay
	FaultTruncated       FaultKind = "truncated" // do it, cut the answer after CutAfterBytes (half of it when 0) and the connection
	FaultShortBody       FaultKind = "short"     // do it, end the answer after CutAfterBytes as if it were complete
	FaultEmptyBody       FaultKind = "empty"     // 200 and nothing
	FaultHTMLPage        FaultKind = "html"      // 200 and a proxy's page
	FaultGarbageBody     FaultKind = "garbage"   // 200 and bytes that are no JSON
	FaultUnauthorised    FaultKind = "denied"    // 401
	FaultNoVersion       FaultKind = "noversion" // 404 in plain text, as when an upgrade removed the API version
	FaultErrorStatus     FaultKind = "broken"    // HTTPStatus (500 when 0) with ErrorNumber in errors[]
	FaultBadGateway      FaultKind = "gateway"   // 502 in plain text
	FaultTooManyRequests FaultKind = "toomany"   // 429 with Retry-After
	FaultConnectionReset FaultKind = "reset"     // the connection is reset, nothing done
	FaultHugeList        FaultKind = "huge"      // 200 and SizeBytes of an endless list
	FaultErrorsWith200   FaultKind = "problems"  // 200 with ErrorNumber in errors[], and nothing done
	FaultLostAnswer      FaultKind = "lost"      // do it, then reset: the caller cannot know
	FaultLateEffect      FaultKind = "late"      // reset now, and do it after Delay of the world's time
	FaultDoneTwice       FaultKind = "twice"     // do it, do it again, answer the second
	FaultNoChange        FaultKind = "nochange"  // jobs: 200 with an empty list and the "no change" warning
	FaultFilteredList    FaultKind = "filtered"  // do it, and leave but the first KeepEntries in the list of jobs, nodes or partitions, without a word
	FaultWrongClock      FaultKind = "clock"     // do it, and tell a time that is off by Delay (diag)
)

// Fault is something that goes wrong with the requests it matches.
type Fault struct {
	Kind          FaultKind
	Method        string        // "" matches all
	PathPart      string        // part of the path, "/jobs/state"; "" matches all
	SkipCount     int           // let so many matching requests pass first
	MaxStrikes    int           // how often it strikes; 0: until ClearFaults
	Delay         time.Duration // FaultSlowReply: of the wall clock; FaultLateEffect: of the world; FaultWrongClock: how far ahead, negative behind
	CutAfterBytes int           // FaultTruncated, FaultShortBody: bytes that get through
	SizeBytes     int           // FaultHugeList; 64 MiB when 0
	KeepEntries   int           // FaultFilteredList: entries that are left; 0 is an empty list
	HTTPStatus    int           // FaultErrorStatus
	ErrorNumber   int           // FaultErrorStatus, FaultErrorsWith200: Slurm's error number; 1 when 0
}

// faults are those in force, in the order in which they came.
type faults []*Fault

// strike returns the fault that hits a request, the zero Fault when there is
// none. Of several that match, the earliest strikes.
func (list *faults) strike(method, path string) Fault {
	for i, f := range *list {
		if f.Method != "" && f.Method != method || !strings.Contains(path, f.PathPart) {
			continue
		}
		if f.SkipCount > 0 {
			f.SkipCount--
			continue
		}
		hit := *f
		if f.MaxStrikes == 1 {
			*list = slices.Delete(*list, i, i+1)
		} else if f.MaxStrikes > 1 {
			f.MaxStrikes--
		}
		return hit
	}
	return Fault{}
}
