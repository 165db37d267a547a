package slurmtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurmtest/wire"
)

// listed returns the jobs the caller gets to see.
func (s *Server) listed() []slurm.Job {
	return slices.DeleteFunc(s.world.Jobs(), func(j slurm.Job) bool { return s.hidden[j.User] })
}

func (s *Server) encoder(c *request) *wire.Encoder {
	return &wire.Encoder{Version: wire.Version(c.v), Started: s.world.Started(), Changed: s.world.Changed()}
}

// stamps adds the times of a list.
func (s *Server) stamps(c *request, r reply) reply {
	if !s.old() {
		e := s.encoder(c)
		r.body["last_update"] = e.Time(s.world.Changed())
		if _, jobs := r.body["jobs"]; jobs {
			r.body["last_backfill"] = e.Time(s.world.LastBackfill())
		}
	}
	return r
}

func (s *Server) jobs(c *request) reply {
	if t, err := strconv.ParseInt(c.r.URL.Query().Get("update_time"), 10, 64); err == nil && t >= s.world.Changed().Unix() {
		return s.unchanged(c)
	}
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "jobs", e.Jobs(s.listed())))
}

// unchanged is the answer to an update_time after which nothing changed.
func (s *Server) unchanged(c *request) reply {
	if s.old() {
		return reply{status: http.StatusNotModified}
	}
	e := s.encoder(c)
	r := s.ok(c, "jobs", []any{}, "last_update", e.Number(0), "last_backfill", e.Number(0))
	r.warn("No job changes since update_time", "slurm_load_jobs()")
	return r
}

func (s *Server) job(c *request, id string) reply {
	var j slurm.Job
	n, err := strconv.ParseInt(id, 10, 64)
	switch {
	case err == nil:
		j, err = s.world.Job(n)
	case strings.HasPrefix(id, "s") && c.v >= 44:
		j, err = s.world.ByRun(id)
	case s.old():
		j, err = s.world.Job(0)
	default:
		return s.failed(c, http.StatusUnprocessableEntity, 9000, "Query empty or not RFC7320 compliant", "op_handler_job")
	}
	if err != nil {
		r := s.refusal(c, err, "_handle_job_get", "jobs", []any{})
		if !s.old() {
			r.body["last_update"], r.body["last_backfill"] = wire.Wrapped(true, false, 0), wire.Wrapped(true, false, 0)
		}
		return r
	}
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "jobs", e.Jobs(s.array(j))))
}

// array returns every record of the array whose number the job has, as
// slurmctld does; else the job alone.
func (s *Server) array(j slurm.Job) []slurm.Job {
	if j.ArrayJob == 0 || j.ID != j.ArrayJob {
		return []slurm.Job{j}
	}
	return slices.DeleteFunc(s.world.Jobs(), func(x slurm.Job) bool { return x.ArrayJob != j.ArrayJob })
}

// states is jobs/state/: ids as text, one line per array task.
func (s *Server) states(c *request) reply {
	out := []any{}
	add := func(id string, j *slurm.Job) {
		out = append(out, wire.Object("job_id", id, "state", append([]string{j.State}, j.Flags...)))
	}
	for _, j := range s.listed() {
		switch {
		case j.Unsplit():
			for _, r := range j.ArrayTasks.Ranges {
				for t := r.From; t <= r.To; t += r.Step {
					add(fmt.Sprintf("%d_%d", j.ArrayJob, t), &j)
				}
			}
		case j.ArraySplit:
			add(fmt.Sprintf("%d_%d", j.ArrayJob, j.ArrayTask), &j)
		default:
			add(strconv.FormatInt(j.ID, 10), &j)
		}
	}
	return s.ok(c, "jobs", out)
}

func (s *Server) nodes(c *request) reply {
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "nodes", e.Nodes(s.world.Nodes())))
}

// node is one node. One that slurmctld does not know is its error 2018 in 22.05
// and an error without a number later.
func (s *Server) node(c *request, name string) reply {
	list := s.world.Nodes()
	i := slices.IndexFunc(list, func(n slurm.Node) bool { return n.Name == name })
	switch {
	case i < 0 && s.old():
		return s.failed(c, http.StatusInternalServerError, 2018, "Invalid node name specified", "slurm_load_node_single()", "nodes", []any{})
	case i < 0:
		return s.failed(c, http.StatusInternalServerError, 0, "Failure to query node "+name, "_dump_nodes", "nodes", []any{})
	}
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "nodes", e.Nodes(list[i:i+1])))
}

func (s *Server) partitions(c *request) reply {
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "partitions", e.Partitions(s.world.Partitions(), s.world.Nodes())))
}

func (s *Server) reservations(c *request) reply {
	e := s.encoder(c)
	return s.stamps(c, s.ok(c, "reservations", e.Reservations(s.world.Reservations())))
}

// ping proves nothing: it answers 200 even to a dead token.
func (s *Server) ping(c *request, good bool) reply {
	word := map[bool]string{true: "UP", false: "DOWN"}[good]
	switch {
	case c.v <= 39:
		return s.ok(c, "pings", []any{wire.Object("hostname", "ctl", "ping", word, "status", 0, "mode", "primary")})
	case c.v >= 45:
		return s.ok(c, "pings", []any{wire.Object("hostname", "ctl", "responding", good, "latency", 500, "primary", true, "status", "No error")})
	}
	return s.ok(c, "pings", []any{wire.Object("hostname", "ctl", "pinged", word, "responding", good, "latency", 500, "mode", "primary", "primary", true)})
}

// since is when the counters of diag began: they are cleared at midnight UTC.
func (s *Server) since() time.Time {
	if midnight := s.world.Now().Truncate(24 * time.Hour); midnight.After(s.world.Started()) {
		return midnight
	}
	return s.world.Started()
}

// diag gives the counters that matter.
func (s *Server) diag(c *request) reply {
	e := s.encoder(c)
	pendingJobs, runningJobs := 0, 0
	for _, j := range s.world.Jobs() {
		switch {
		case j.Pending():
			pendingJobs++
		case j.Running():
			runningJobs++
		}
	}
	submitted, started, completed := s.world.Totals()
	stats := wire.Object("req_time", e.Number(now(s.world)), "req_time_start", e.Time(s.since()), "job_states_ts", e.Number(now(s.world)),
		"bf_when_last_cycle", e.Time(s.world.LastBackfill()), "bf_active", false, "server_thread_count", 1,
		"agent_queue_size", 0, "agent_count", 0, "agent_thread_count", 0, "dbd_agent_queue_size", 0,
		"schedule_cycle_last", 100, "schedule_cycle_max", 100, "schedule_cycle_mean", 100, "schedule_queue_length", pendingJobs,
		"jobs_submitted", submitted, "jobs_started", started, "jobs_completed", completed, "jobs_canceled", 0, "jobs_failed", 0,
		"jobs_pending", pendingJobs, "jobs_running", runningJobs, "bf_cycle_last", 200, "bf_cycle_max", 200, "bf_queue_len", pendingJobs,
		"rpcs_by_message_type", []any{}, "rpcs_by_user", []any{})
	return s.ok(c, "statistics", stats)
}
