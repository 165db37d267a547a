package slurmtest

import (
	"cmp"
	"net/http"
	"time"
)

// fixedTexts are the faults that are a fixed answer.
var fixedTexts = map[FaultKind]struct {
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

// answerInstead answers in Slurm's place, and reports whether the fault is of those
// that do; nothing is done then.
func (f *Fault) answerInstead(c *responder, r *readHandler) bool {
	if t, ok := fixedTexts[f.Kind]; ok {
		if f.Kind == TooMany {
			c.w.Header().Set("Retry-After", "1")
		}
		c.sendText(t.status, t.kind, t.body)
		return true
	}
	number := cmp.Or(f.Number, 1)
	switch f.Kind {
	case Broken:
		c.send(r.errorReply(cmp.Or(f.Status, http.StatusInternalServerError), number, "injected fault", "slurmtest"))
	case Problems:
		c.send(r.errorReply(http.StatusOK, number, "injected fault", "slurmtest"))
	case Huge:
		c.sendEndless(cmp.Or(f.Size, 64<<20))
	case Reset:
		c.reset()
	case NoChange:
		c.send(r.unchangedReply())
	default:
		return false
	}
	return true
}

// deliver sends the answer of what was done, or what the fault leaves of it.
func (f *Fault) deliver(c *responder, r reply) {
	f.falsify(r)
	switch f.Kind {
	case Lost:
		c.reset()
	case Truncated:
		c.sendPart(r, f.At, false)
	case Short:
		c.sendPart(r, f.At, true)
	default:
		c.send(r)
	}
}

// listKeys are the keys of what a reply lists.
var listKeys = []string{"jobs", "nodes", "partitions"}

// falsify makes a good answer lie, as filters, cut lists and bad clocks do.
func (f *Fault) falsify(r reply) {
	switch f.Kind {
	case Filtered:
		for _, key := range listKeys {
			if list, ok := r.body[key].([]any); ok {
				r.body[key] = list[:min(f.Keep, len(list))]
			}
		}
	case Clock:
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
