package slurmtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fairbridge/gear/slurmtest/records"
	"fairbridge/gear/slurmtest/update"
	"fairbridge/replica/sim"
)

// writeHandler changes jobs for a user.
type writeHandler struct {
	envelope
	world    *sim.World
	user     string
	timeZone *time.Location
}

func (w *writeHandler) newBodyReader() update.Reader {
	return update.Reader{APIVersion: w.apiVersion, Now: w.world.Now(), TimeZone: w.timeZone}
}

// updateJob is POST job/{id}.
func (w *writeHandler) updateJob(id string, body []byte) reply {
	fields, err := update.ReadFields(body)
	if err != nil && json.Valid(body) && !w.release.is2205() {
		return w.errorReply(http.StatusInternalServerError, 9209, "Unable to convert Data type", "_job_post_update", "results", nil)
	}
	if err != nil {
		return reply{status: http.StatusBadRequest, text: "Unable to parse query."}
	}
	if w.release.is2205() || w.apiVersion <= 38 {
		return w.updateJobPlain(id, fields)
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil && w.apiVersion >= 44 && strings.HasPrefix(id, "s") {
		return w.errorReply(http.StatusNotFound, sim.ErrnoNoSuchJob, "Invalid job id specified", "slurm_update_job2()")
	}
	if err != nil {
		return w.invalidIDReply()
	}
	u, warnings, flaw := w.newBodyReader().Read(fields)
	out := w.okReply("results", nil)
	if flaw != nil {
		out = w.errorReply(flaw.HTTPStatus, flaw.ErrorNumber, "cannot convert "+flaw.Key, "#/"+flaw.Key+"/", "results", nil)
	} else if err := w.world.Update(w.user, n, u); err != nil {
		out = w.refusalReply(err, "slurm_update_job2()", "results", nil)
	}
	for _, x := range warnings {
		out.addWarning(x.Text, x.Source)
	}
	return out
}

// updateJobPlain is an update as 22.05 takes it; the status is 200 even for a body that
// cannot be read.
func (w *writeHandler) updateJobPlain(id string, fields map[string]json.RawMessage) reply {
	u, flaw := w.newBodyReader().ReadPlain(fields)
	if flaw != nil {
		return w.unreadableReply(flaw)
	}
	n, split := w.parsePlainJobID(id)
	switch err := w.world.Update(w.user, n, u); {
	case err != nil:
		return w.refusalReply(err, "_parse_job_list")
	case split: // done, and called a failure
		return w.errorReply(http.StatusOK, -1, "job array update failed", "_parse_job_list")
	}
	return w.okReply()
}

// unreadableReply is 22.05's answer to a body that cannot be read.
func (w *writeHandler) unreadableReply(flaw *update.PlainFlaw) reply {
	errs := []any{records.NewObject("description", "Unable to process key \""+flaw.Key+"\"", "error_number", -1,
		"error", "Unspecified error", "source", "slurm_process_option_data")}
	switch {
	case flaw.IsUnknownKey:
		errs = []any{records.NewObject("description", "Unknown key \""+flaw.Key+"\"", "source", "hsearch_r")}
	case flaw.WantsInteger:
		errs = append([]any{records.NewObject("error", "Unable to read integer value", "error_code", 9202)}, errs...)
	}
	r := w.okReply()
	r.body["errors"] = append(errs, errorEntry(9001, "Failure during parsing", "_parse_job_list"))
	return r
}

// parsePlainJobID reads the job of an update. A task "47_4" is split off and updated,
// though the answer says otherwise.
func (w *writeHandler) parsePlainJobID(id string) (job int64, split bool) {
	a, t, isTask := strings.Cut(id, "_")
	n, _ := strconv.ParseInt(a, 10, 64) // no number is job 0, which is unknown
	if !isTask {
		return n, false
	}
	task, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return 0, false
	}
	job, err = w.world.SplitTask(n, task)
	return job, err == nil
}

// cancelJob is DELETE job/{id}: without a signal, with a misspelt one or with 0 it
// cancels, and says 200 whatever happens. Our product must never come here.
func (w *writeHandler) cancelJob(id, signal string) reply {
	switch strings.TrimPrefix(strings.ToUpper(signal), "SIG") {
	case "USR1", "USR2", "CONT", "STOP", "HUP", "INT", "10", "12":
		return w.okReply()
	}
	if err := w.world.Cancel(w.user, id); err != nil && w.release.is2205() {
		return w.refusalReply(err, "_op_handler_job")
	}
	return w.okReply()
}
