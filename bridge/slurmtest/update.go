package slurmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/sim"
)

// flaw is a value that cannot be read.
type flaw struct {
	key    string
	number int
	status int
}

// update is POST job/{id}.
func (s *Server) update(c *request, id string) reply {
	fields, err := keys(c.body)
	if err != nil && json.Valid(c.body) && !s.old() {
		return s.failed(c, http.StatusInternalServerError, 9209, "Unable to convert Data type", "_job_post_update", "results", nil)
	}
	if err != nil {
		return reply{status: http.StatusBadRequest, text: "Unable to parse query."}
	}
	if s.old() || c.v <= 38 {
		return s.updatePlain(c, id, fields)
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil && c.v >= 44 && strings.HasPrefix(id, "s") {
		return s.failed(c, http.StatusNotFound, sim.NoSuchJob, "Invalid job id specified", "slurm_update_job2()")
	}
	if err != nil {
		return s.failed(c, http.StatusUnprocessableEntity, 9000, "Query empty or not RFC7320 compliant", "op_handler_job")
	}
	out := s.ok(c, "results", nil)
	u, bad := s.read(c, fields, &out)
	if bad != nil {
		f := s.failed(c, bad.status, bad.number, "cannot convert "+bad.key, "#/"+bad.key+"/", "results", nil)
		f.body["warnings"] = out.body["warnings"]
		return f
	}
	if err := s.world.Update(c.user, n, u); err != nil {
		f := s.refusal(c, err, "slurm_update_job2()", "results", nil)
		f.body["warnings"] = out.body["warnings"]
		return f
	}
	return out
}

// keys reads a body as one object, in the order of the keys.
func keys(body []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("reading the body: %w", err)
	}
	return fields, nil
}

// read turns a body of v0.0.39 and later into an update. Unknown keys are a
// warning and nothing more.
func (s *Server) read(c *request, fields map[string]json.RawMessage, out *reply) (sim.Update, *flaw) {
	var u sim.Update
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		f := takes[k]
		if f == nil || k == "step_id" && c.v < 44 {
			out.warn(fmt.Sprintf("Ignoring unknown field %q in DATA_PARSER_JOB_DESC_MSG", k), "#/"+k+"/")
			continue
		}
		if bad := f(s, &u, fields[k], out); bad != nil {
			bad.key = k
			return u, bad
		}
	}
	return u, nil
}

// unreadable is a value of the wrong type.
func unreadable() *flaw { return &flaw{number: 9202, status: http.StatusInternalServerError} }

type taker func(*Server, *sim.Update, json.RawMessage, *reply) *flaw

// takes are the keys of an update that mean something.
var takes map[string]taker

func init() { // a map literal would refer to itself through the methods
	takes = map[string]taker{
		"name":           words(func(u *sim.Update) **string { return &u.Name }),
		"qos":            words(func(u *sim.Update) **string { return &u.QOS }),
		"partition":      words(func(u *sim.Update) **string { return &u.Partition }),
		"account":        words(func(u *sim.Update) **string { return &u.Account }),
		"constraints":    words(func(u *sim.Update) **string { return &u.Features }),
		"comment":        words(func(u *sim.Update) **string { return &u.Comment }),
		"extra":          words(func(u *sim.Update) **string { return &u.Extra }),
		"admin_comment":  words(func(u *sim.Update) **string { return &u.Admin }),
		"hold":           bools(func(u *sim.Update) **bool { return &u.Hold }),
		"requeue":        bools(func(u *sim.Update) **bool { return &u.Requeue }),
		"required_nodes": hosts(func(u *sim.Update) **[]string { return &u.Required }),
		"excluded_nodes": hosts(func(u *sim.Update) **[]string { return &u.Excluded }),
		"nice":           takeNice,
		"priority":       takePriority,
		"site_factor":    takeSite,
		"begin_time":     takeBegin,
		"time_limit":     takeLimit,
		"tres_per_node":  takeGPUs,
		"tres_per_job":   takeGPUs,
		"step_id":        takeFence,
		"job_id":         func(*Server, *sim.Update, json.RawMessage, *reply) *flaw { return nil },
	}
}

func words(to func(*sim.Update) **string) taker {
	return func(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
		if v, ok := text(raw); ok {
			*to(u) = &v
		} else if string(raw) != "null" {
			return unreadable()
		}
		return nil
	}
}

func bools(to func(*sim.Update) **bool) taker {
	return func(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
		if v, ok := truth(raw); ok {
			*to(u) = &v
		} else if string(raw) != "null" {
			return unreadable()
		}
		return nil
	}
}

// gpus reads "gres/gpu:a100:2", "gres:gpu:2" and, for 22.05, "gpu:2".
func gpus(s string, bare bool) (kind *string, n int, ok bool) {
	rest, found := strings.CutPrefix(strings.Replace(s, "gres:", "gres/", 1), "gres/")
	if !found && !bare {
		return nil, 0, false
	}
	parts := strings.Split(rest, ":")
	if parts[0] == "gpu" {
		parts = parts[1:]
	} else if !bare {
		return nil, 0, false
	}
	if len(parts) == 0 || len(parts) > 2 {
		return nil, 0, false
	}
	n, err := strconv.Atoi(parts[len(parts)-1])
	if len(parts) == 2 {
		kind = &parts[0]
	}
	return kind, n, err == nil
}
