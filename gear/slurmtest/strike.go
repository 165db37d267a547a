package slurmtest

import (
	"cmp"
	"net/http"
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
