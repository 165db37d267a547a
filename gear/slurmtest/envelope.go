package slurmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/slurmtest/records"
	"fairbridge/replica/sim"
)

// envelope is what a release puts around the replies of one API version.
type envelope struct {
	release     releaseVersion
	clusterName string
	apiVersion  int // version, 45 for v0.0.45
}

// metaObject returns the value of "meta": who answers.
func (e envelope) metaObject() map[string]any {
	parts := append(strings.Split(string(e.release), "."), "0", "0", "0")
	if e.release.is2205() {
		n := func(i int) int { k, _ := strconv.Atoi(parts[i]); return k }
		return records.NewObject(
			"plugin", records.NewObject("type", fmt.Sprintf("openapi/v0.0.%d", e.apiVersion), "name", fmt.Sprintf("Slurm OpenAPI v0.0.%d", e.apiVersion)),
			"Slurm", records.NewObject("version", records.NewObject("major", n(0), "minor", n(1), "micro", n(2)), "release", e.release))
	}
	return records.NewObject(
		"plugin", records.NewObject("type", "openapi/slurmctld", "name", "Slurm OpenAPI slurmctld",
			"data_parser", fmt.Sprintf("data_parser/v0.0.%d", e.apiVersion), "accounting_storage", "accounting_storage/slurmdbd"),
		"client", records.NewObject("source", "127.0.0.1:6820(fd:11)", "user", "root", "group", "root"), "command", []string{},
		"slurm", records.NewObject("version", records.NewObject("major", parts[0], "minor", parts[1], "micro", parts[2]),
			"release", e.release, "cluster", e.clusterName))
}

// okReply makes a good reply from keys and values.
func (e envelope) okReply(pairs ...any) reply {
	body := records.NewObject(pairs...)
	body["meta"], body["errors"] = e.metaObject(), []any{}
	if !e.release.is2205() {
		body["warnings"] = []any{}
	}
	return reply{status: http.StatusOK, body: body}
}

// errorReply makes a reply with one entry in errors[].
func (e envelope) errorReply(status, number int, text, source string, pairs ...any) reply {
	r := e.okReply(pairs...)
	r.status = status
	r.body["errors"] = []any{errorEntry(number, text, source)}
	return r
}

// errorEntry is an entry of errors[].
func errorEntry(number int, text, source string) any {
	return records.NewObject("description", source+" failed", "error_number", number, "error", text, "source", source)
}

// refusalReply turns the world's refusal into an answer.
func (e envelope) refusalReply(err error, source string, pairs ...any) reply {
	refused := asSlurmError(err)
	status := http.StatusInternalServerError
	if refused.Number != -1 {
		status = e.release.refusalStatus(refused.Number)
	}
	return e.errorReply(status, refused.Number, refused.Text, source, pairs...)
}

// asSlurmError returns the world's refusal with Slurm's number, -1 without one.
func asSlurmError(err error) *slurm.Error {
	var e *slurm.Error
	if !errors.As(err, &e) {
		return &slurm.Error{Number: -1, Text: err.Error()}
	}
	return e
}

// notFoundReply is the answer to a path that is none.
func notFoundReply() reply { return reply{status: http.StatusNotFound, text: noEndpointText} }

// unauthorisedReply is the answer to a token slurmctld does not take: slurmrestd
// itself never checks it.
func (e envelope) unauthorisedReply(list string) reply {
	pairs := []any{}
	switch list {
	case "jobs", "nodes", "partitions", "reservations":
		pairs = []any{list, []any{}}
	case "job":
		pairs = []any{"jobs", []any{}}
	}
	if e.release.is2205() {
		return e.errorReply(http.StatusInternalServerError, -1, "Unspecified error", "slurm_load_"+list, pairs...)
	}
	return e.errorReply(http.StatusNetworkAuthenticationRequired, 1007, "Protocol authentication error", "slurm_load_"+list, pairs...)
}

// invalidIDReply is the answer to a job number that is none.
func (e envelope) invalidIDReply() reply {
	return e.errorReply(http.StatusUnprocessableEntity, 9000, "Query empty or not RFC7320 compliant", "op_handler_job")
}

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
