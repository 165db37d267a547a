package slurmtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// requeue is POST jobs/requeue of v0.0.45. What is wrong with one job does not
// keep the others from being requeued, and a misspelt flag is reported and
// then ignored.
func (s *Server) requeue(c *request) reply {
	var body struct {
		Jobs  json.RawMessage `json:"jobs"`
		Flags json.RawMessage `json:"flags"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return reply{status: http.StatusBadRequest, text: "Failure during parsing"}
	}
	jobs := items(body.Jobs)
	if len(jobs) == 0 {
		return s.failed(c, http.StatusNotFound, sim.NoSuchJob, "Query missing JobIds", "op_handler_jobs_requeue", "status", []any{})
	}
	incomplete, hold := false, false
	out := s.ok(c, "status", []any{})
	var errs []any
	for _, f := range items(body.Flags) {
		switch strings.ToLower(f) {
		case "incomplete":
			incomplete = true
		case "hold":
			hold = true
		default:
			out.status = http.StatusInternalServerError
			errs = append(errs, problem(9207, "Unknown flag", "#/flags/"))
		}
	}
	for _, id := range jobs {
		errs = s.requeueOne(c, id, incomplete, hold, &out, errs)
	}
	out.body["errors"] = append([]any{}, errs...)
	return out
}

func (s *Server) requeueOne(c *request, id string, incomplete, hold bool, out *reply, errs []any) []any {
	err := s.world.Requeue(c.user, id, incomplete)
	if err == nil && hold {
		err = s.world.HoldRequeued(id)
	}
	var e *slurm.Error
	switch {
	case err == nil:
		return errs
	case !errors.As(err, &e):
		e = &slurm.Error{Number: -1, Text: err.Error()}
	}
	if status := s.status(e.Number); out.status == http.StatusOK || status == http.StatusUnprocessableEntity {
		out.status = status
	}
	return append(errs, problem(e.Number, e.Text, "op_handler_jobs_requeue"))
}

// items reads a list of strings or numbers, or a single one.
func items(raw json.RawMessage) []string {
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

// kill is DELETE job/{id}: without a signal, with a misspelt one or with 0 it
// cancels, and says 200 whatever happens. Our product must never come here.
func (s *Server) kill(c *request, id string) reply {
	sig := strings.TrimPrefix(strings.ToUpper(c.r.URL.Query().Get("signal")), "SIG")
	switch sig {
	case "USR1", "USR2", "CONT", "STOP", "HUP", "INT", "10", "12":
		return s.ok(c)
	}
	if err := s.world.Cancel(c.user, id); err != nil && s.old() {
		return s.refusal(c, err, "_op_handler_job")
	}
	return s.ok(c)
}
