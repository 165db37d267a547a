package slurmtest

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurmtest/wire"
)

// updatePlain is an update as 22.05 takes it: plain values and strings. One
// unknown key or value, and nothing is done; the status is 200 all the same.
func (s *Server) updatePlain(c *request, id string, fields map[string]json.RawMessage) reply {
	var u sim.Update
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		take := plainTakes[k]
		switch {
		case take == nil:
			return s.unread(c, wire.Object("description", "Unknown key \""+k+"\"", "source", "hsearch_r"))
		case !take(s, &u, fields[k]):
			unable := wire.Object("description", "Unable to process key \""+k+"\"", "error_number", -1,
				"error", "Unspecified error", "source", "slurm_process_option_data")
			if k == "nice" || k == "priority" || k == "time_limit" {
				return s.unread(c, wire.Object("error", "Unable to read integer value", "error_code", 9202), unable)
			}
			return s.unread(c, unable)
		}
	}
	n, splitErr := s.plainID(id)
	err := s.world.Update(c.user, n, u)
	switch {
	case err == nil && splitErr != nil: // done, and called a failure
		return s.failed(c, http.StatusOK, -1, "job array update failed", "_parse_job_list")
	case err != nil:
		var e *slurm.Error
		if errors.As(err, &e) {
			return s.failed(c, s.status(e.Number), e.Number, e.Text, "_parse_job_list")
		}
		return s.failed(c, http.StatusInternalServerError, -1, err.Error(), "_parse_job_list")
	}
	return s.ok(c)
}

// unread is the answer to a body that cannot be read.
func (s *Server) unread(c *request, errs ...any) reply {
	r := s.ok(c)
	r.body["errors"] = append(errs, problem(9001, "Failure during parsing", "_parse_job_list"))
	return r
}

// plainID reads the job of an update. A task "47_4" is split off and updated,
// though the answer says otherwise.
func (s *Server) plainID(id string) (int64, error) {
	a, t, isTask := strings.Cut(id, "_")
	n, _ := strconv.ParseInt(a, 10, 64) // no number is job 0, which is unknown
	if !isTask {
		return n, nil
	}
	task, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return 0, nil
	}
	split, err := s.world.Split(n, task)
	if err != nil {
		return 0, nil
	}
	return split, errors.New("array task")
}

type plainTake func(*Server, *sim.Update, json.RawMessage) bool

// plainTakes are the keys 22.05 knows, as far as we need them.
var plainTakes map[string]plainTake

func init() { // a map literal would refer to itself through the methods
	plainTakes = map[string]plainTake{
		"name":          plainWord(func(*sim.Update) **string { return new(*string) }), // cannot be changed
		"qos":           plainWord(func(u *sim.Update) **string { return &u.QOS }),
		"partition":     plainWord(func(u *sim.Update) **string { return &u.Partition }),
		"account":       plainWord(func(u *sim.Update) **string { return &u.Account }),
		"constraint":    plainWord(func(u *sim.Update) **string { return &u.Features }),
		"constraints":   plainWord(func(u *sim.Update) **string { return &u.Features }),
		"comment":       plainWord(func(u *sim.Update) **string { return &u.Comment }),
		"nodelist":      plainHosts(func(u *sim.Update) **[]string { return &u.Required }),
		"node_list":     plainHosts(func(u *sim.Update) **[]string { return &u.Required }),
		"exclude_nodes": plainHosts(func(u *sim.Update) **[]string { return &u.Excluded }),
		"nice":          plainNumber(func(u *sim.Update, n int64) { u.Nice = &n }),
		"priority":      plainNumber(func(u *sim.Update, n int64) { u.Priority = &n }),
		"time_limit":    plainNumber(func(u *sim.Update, n int64) { u.Limit = sim.Ptr(time.Duration(n) * time.Minute) }),
		"hold":          plainBool(func(u *sim.Update, v bool) { u.Hold = &v }),
		"requeue":       plainBool(func(u *sim.Update, v bool) { u.Requeue = &v }),
		"no_requeue":    plainBool(func(u *sim.Update, v bool) { u.NoRequeue = v }),
		"begin_time":    plainBegin,
		"gres":          plainGPUs,
		"gpus":          plainGPUs,
		"gpus_per_node": plainGPUs,
	}
}

func plainWord(to func(*sim.Update) **string) plainTake {
	return func(_ *Server, u *sim.Update, raw json.RawMessage) bool {
		v, ok := text(raw)
		*to(u) = &v
		return ok
	}
}

// plainHosts takes a hostlist in one string; null clears like "".
func plainHosts(to func(*sim.Update) **[]string) plainTake {
	return func(_ *Server, u *sim.Update, raw json.RawMessage) bool {
		v, ok := text(raw)
		ok = ok || string(raw) == "null"
		list, err := slurm.ExpandHosts(v)
		if list == nil {
			list = []string{}
		}
		*to(u) = &list
		return ok && err == nil
	}
}

func plainNumber(set func(*sim.Update, int64)) plainTake {
	return func(_ *Server, u *sim.Update, raw json.RawMessage) bool {
		n, v := number(raw)
		if v != given || raw[0] == '{' {
			return false
		}
		set(u, n)
		return true
	}
}

func plainBool(set func(*sim.Update, bool)) plainTake {
	return func(_ *Server, u *sim.Update, raw json.RawMessage) bool {
		v, ok := truth(raw)
		if ok {
			set(u, v)
		}
		return ok
	}
}

func plainBegin(s *Server, u *sim.Update, raw json.RawMessage) bool {
	word, ok := text(raw)
	t, readable := s.moment(word)
	u.Begin = &t
	return ok && readable
}

func plainGPUs(_ *Server, u *sim.Update, raw json.RawMessage) bool {
	word, ok := text(raw)
	kind, n, readable := gpus(word, true)
	u.GPUs, u.GPUType = &n, kind
	return ok && readable
}
