package slurmtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/slurmtest/records"
	"fairbridge/replica/sim"
)

// readHandler answers what can be asked of slurmctld, and of slurmdbd.
type readHandler struct {
	envelope
	world       *sim.World
	hiddenUsers map[string]bool
	encoder     records.Encoder
}

// visibleJobs returns the jobs the caller gets to see.
func (r *readHandler) visibleJobs() []slurm.Job {
	return slices.DeleteFunc(r.world.Jobs(), func(j slurm.Job) bool { return r.hiddenUsers[j.User] })
}

// withUpdateTimes adds the times of a list.
func (r *readHandler) withUpdateTimes(out reply) reply {
	if !r.release.is2205() {
		out.body["last_update"] = r.encoder.EncodeTime(r.world.LastChange())
		if _, jobs := out.body["jobs"]; jobs {
			out.body["last_backfill"] = r.encoder.EncodeTime(r.world.LastBackfill())
		}
	}
	return out
}

// listJobs lists the jobs, unless nothing changed since the time that is given.
func (r *readHandler) listJobs(since string) reply {
	if t, err := strconv.ParseInt(since, 10, 64); err == nil && t >= r.world.LastChange().Unix() {
		return r.unchangedReply()
	}
	return r.withUpdateTimes(r.okReply("jobs", r.encoder.EncodeJobs(r.visibleJobs())))
}

// unchangedReply is the answer to an update_time after which nothing changed.
func (r *readHandler) unchangedReply() reply {
	if r.release.is2205() {
		return reply{status: http.StatusNotModified}
	}
	out := r.okReply("jobs", []any{}, "last_update", r.encoder.EncodeNumber(0), "last_backfill", r.encoder.EncodeNumber(0))
	out.addWarning("No job changes since update_time", "slurm_load_jobs()")
	return out
}

// showJob is one job by its number or, from v0.0.44, by its run. Flags that are given take the place of
// slurmrestd's own: without DETAIL among them a record names no devices.
func (r *readHandler) showJob(id string, flags []string) reply {
	var j slurm.Job
	n, err := strconv.ParseInt(id, 10, 64)
	switch {
	case err == nil:
		j, err = r.world.Job(n)
	case strings.HasPrefix(id, "s") && r.apiVersion >= 44:
		j, err = r.world.JobBySLUID(id)
	case r.release.is2205():
		j, err = r.world.Job(0)
	default:
		return r.invalidIDReply()
	}
	if err != nil {
		out := r.refusalReply(err, "_handle_job_get", "jobs", []any{})
		if !r.release.is2205() {
			out.body["last_update"], out.body["last_backfill"] = records.WrapNumber(true, false, 0), records.WrapNumber(true, false, 0)
		}
		return out
	}
	list := r.arrayRecords(j)
	if len(flags) > 0 && !slices.Contains(flags, "DETAIL") {
		for i := range list {
			list[i].GresDetail = nil
		}
	}
	return r.withUpdateTimes(r.okReply("jobs", r.encoder.EncodeJobs(list)))
}

// arrayRecords returns every record of the array whose number the job has, as
// slurmctld does; else the job alone.
func (r *readHandler) arrayRecords(j slurm.Job) []slurm.Job {
	if j.ArrayJobID == 0 || j.ID != j.ArrayJobID {
		return []slurm.Job{j}
	}
	return slices.DeleteFunc(r.world.Jobs(), func(x slurm.Job) bool { return x.ArrayJobID != j.ArrayJobID })
}

// listStates is jobs/state/: ids as text, one line per array task.
func (r *readHandler) listStates() reply {
	out := []any{}
	add := func(id string, j *slurm.Job) {
		out = append(out, records.NewObject("job_id", id, "state", append([]string{j.State}, j.Flags...)))
	}
	for _, j := range r.visibleJobs() {
		switch {
		case j.IsUnsplitArray():
			for _, x := range j.ArrayTasks.Ranges {
				for t := x.From; t <= x.To; t += x.Step {
					add(fmt.Sprintf("%d_%d", j.ArrayJobID, t), &j)
				}
			}
		case j.IsArrayTask:
			add(fmt.Sprintf("%d_%d", j.ID, j.ArrayTaskID), &j) // its own id, not the array's
		default:
			add(strconv.FormatInt(j.ID, 10), &j)
		}
	}
	return r.okReply("jobs", out)
}

func (r *readHandler) listNodes() reply {
	return r.withUpdateTimes(r.okReply("nodes", r.encoder.EncodeNodes(r.world.Nodes())))
}

// showNode is one node. One that slurmctld does not know is its error 2018 in 22.05
// and an error without a number later.
func (r *readHandler) showNode(name string) reply {
	list := r.world.Nodes()
	i := slices.IndexFunc(list, func(n slurm.Node) bool { return n.Name == name })
	switch {
	case i < 0 && r.release.is2205():
		return r.errorReply(http.StatusInternalServerError, 2018, "Invalid node name specified", "slurm_load_node_single()", "nodes", []any{})
	case i < 0:
		return r.errorReply(http.StatusInternalServerError, 0, "Failure to query node "+name, "_dump_nodes", "nodes", []any{})
	}
	return r.withUpdateTimes(r.okReply("nodes", r.encoder.EncodeNodes(list[i:i+1])))
}

func (r *readHandler) listPartitions() reply {
	return r.withUpdateTimes(r.okReply("partitions", r.encoder.EncodePartitions(r.world.Partitions(), r.world.Nodes())))
}

func (r *readHandler) listReservations() reply {
	return r.withUpdateTimes(r.okReply("reservations", r.encoder.EncodeReservations(r.world.Reservations())))
}

// showPing proves nothing: it answers 200 even to a dead token.
func (r *readHandler) showPing(good bool) reply {
	word := map[bool]string{true: "UP", false: "DOWN"}[good]
	switch {
	case r.apiVersion <= 39:
		return r.okReply("pings", []any{records.NewObject("hostname", "ctl", "ping", word, "status", 0, "mode", "primary")})
	case r.apiVersion >= 45:
		return r.okReply("pings", []any{records.NewObject("hostname", "ctl", "responding", good, "latency", 500, "primary", true, "status", "No error")})
	}
	return r.okReply("pings", []any{records.NewObject("hostname", "ctl", "pinged", word, "responding", good, "latency", 500, "mode", "primary", "primary", true)})
}

// countersSince is when the counters of diag began: they are cleared at midnight UTC.
func (r *readHandler) countersSince() time.Time {
	if midnight := r.world.Now().Truncate(24 * time.Hour); midnight.After(r.world.StartTime()) {
		return midnight
	}
	return r.world.StartTime()
}

// showDiag gives the counters that matter.
func (r *readHandler) showDiag() reply {
	pendingJobs, runningJobs := 0, 0
	for _, j := range r.world.Jobs() {
		switch {
		case j.IsPending():
			pendingJobs++
		case j.IsRunning():
			runningJobs++
		}
	}
	submitted, started, completed := r.world.JobTotals()
	stats := records.NewObject("req_time", r.encoder.EncodeTime(r.world.Now()), "req_time_start", r.encoder.EncodeTime(r.countersSince()), "job_states_ts", r.encoder.EncodeTime(r.world.Now()),
		"bf_when_last_cycle", r.encoder.EncodeTime(r.world.LastBackfill()), "bf_active", false, "server_thread_count", 1,
		"agent_queue_size", 0, "agent_count", 0, "agent_thread_count", 0, "dbd_agent_queue_size", 0,
		"schedule_cycle_last", 100, "schedule_cycle_max", 100, "schedule_cycle_mean", 100, "schedule_queue_length", pendingJobs,
		"jobs_submitted", submitted, "jobs_started", started, "jobs_completed", completed, "jobs_canceled", 0, "jobs_failed", 0,
		"jobs_pending", pendingJobs, "jobs_running", runningJobs, "bf_cycle_last", 200, "bf_cycle_max", 200, "bf_queue_len", pendingJobs,
		"rpcs_by_message_type", []any{}, "rpcs_by_user", []any{})
	return r.okReply("statistics", stats)
}

// showUser is what slurmdbd says of a user: the rights, one word in 22.05 and a
// list later.
func (r *readHandler) showUser(name string, good bool) reply {
	if !good {
		return r.errorReply(http.StatusInternalServerError, 1007, "Protocol authentication error", "slurmdb_users_get", "users", []any{})
	}
	level := "None"
	if r.world.IsOperator(name) {
		level = "Operator"
	}
	var shown any = []string{level}
	if r.apiVersion <= 38 {
		shown = level
	}
	return r.okReply("users", []any{records.NewObject("name", name, "administrator_level", shown, "associations", []any{}, "coordinators", []any{})})
}
