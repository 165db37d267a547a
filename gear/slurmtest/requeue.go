package slurmtest

import (
	"encoding/json"
	"net/http"
	"strings"

	"fairbridge/replica/sim"
)

// requeueJobs is POST jobs/requeue of v0.0.45. What is wrong with one job does not
// keep the others from being requeued, and a misspelt flag is reported and
// then ignored.
func (w *writeHandler) requeueJobs(content []byte) reply {
	var body struct {
		Jobs  json.RawMessage `json:"jobs"`
		Flags json.RawMessage `json:"flags"`
	}
	if json.Unmarshal(content, &body) != nil {
		return reply{status: http.StatusBadRequest, text: "Failure during parsing"}
	}
	jobs := parseStringList(body.Jobs)
	if len(jobs) == 0 {
		return w.errorReply(http.StatusNotFound, sim.ErrnoNoSuchJob, "Query missing JobIds", "op_handler_jobs_requeue", "status", []any{})
	}
	incomplete, hold := false, false
	out := w.okReply("status", []any{})
	var errs []any
	for _, f := range parseStringList(body.Flags) {
		switch strings.ToLower(f) {
		case "incomplete":
			incomplete = true
		case "hold":
			hold = true
		default:
			out.status = http.StatusInternalServerError
			errs = append(errs, errorEntry(9207, "Unknown flag", "#/flags/"))
		}
	}
	for _, id := range jobs {
		errs = w.requeueJob(id, incomplete, hold, &out, errs)
	}
	out.body["errors"] = append([]any{}, errs...)
	return out
}

func (w *writeHandler) requeueJob(id string, incomplete, hold bool, out *reply, errs []any) []any {
	err := w.world.Requeue(w.user, id, incomplete)
	if err == nil && hold {
		err = w.world.HoldRequeued(id)
	}
	if err == nil {
		return errs
	}
	e := asSlurmError(err)
	if status := w.release.refusalStatus(e.Number); out.status == http.StatusOK || status == http.StatusUnprocessableEntity {
		out.status = status
	}
	return append(errs, errorEntry(e.Number, e.Text, "op_handler_jobs_requeue"))
}

// parseStringList reads a list of strings or numbers, or a single one.
func parseStringList(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil && len(raw) > 0 {
		list = []json.RawMessage{raw}
	}
	var out []string
	for _, r := range list {
		if s := strings.Trim(string(r), `"`); s != "" && s != "null" {
			out = append(out, s)
		}
	}
	return out
}
