package slurmtest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurmtest/wire"
)

// route finds the endpoint. good is false when slurmctld refuses the token.
func (s *Server) route(c *request, good bool) reply {
	head, tail, _ := strings.Cut(c.tail, "/")
	get, post := c.r.Method == http.MethodGet, c.r.Method == http.MethodPost
	switch {
	case c.tail == "ping" && get:
		return s.ping(c, good)
	case !good:
		return s.unauthorised(c, head)
	case c.tail == "diag" && get:
		return s.diag(c)
	case c.tail == "jobs" && get:
		return s.jobs(c)
	case c.tail == "jobs/state" && get && c.v >= 41:
		return s.states(c)
	case c.tail == "jobs/requeue" && post && c.v >= 45:
		return s.requeue(c)
	case c.tail == "nodes" && get:
		return s.nodes(c)
	case c.tail == "partitions" && get:
		return s.partitions(c)
	case head == "node" && tail != "" && get:
		return s.node(c, tail)
	case c.tail == "reservations" && get:
		return s.reservations(c)
	case head == "job" && tail != "" && !strings.Contains(tail, "/"):
		return s.oneJob(c, tail)
	}
	return reply{status: http.StatusNotFound, text: noEndpoint}
}

func (s *Server) oneJob(c *request, id string) reply {
	switch c.r.Method {
	case http.MethodGet:
		return s.job(c, id)
	case http.MethodPost:
		return s.update(c, id)
	case http.MethodDelete:
		return s.kill(c, id)
	}
	if s.old() {
		return reply{status: http.StatusMethodNotAllowed, text: "Requested REST method is not defined at URL."}
	}
	return reply{status: http.StatusNotFound, text: noEndpoint}
}

// unauthorised is the answer to a token slurmctld does not take: slurmrestd
// itself never checks it.
func (s *Server) unauthorised(c *request, list string) reply {
	pairs := []any{}
	switch list {
	case "jobs", "nodes", "partitions", "reservations":
		pairs = []any{list, []any{}}
	case "job":
		pairs = []any{"jobs", []any{}}
	}
	if s.old() {
		return s.failed(c, http.StatusInternalServerError, -1, "Unspecified error", "slurm_load_"+list, pairs...)
	}
	return s.failed(c, http.StatusNetworkAuthenticationRequired, 1007, "Protocol authentication error", "slurm_load_"+list, pairs...)
}

// refusal turns the world's refusal into an answer.
func (s *Server) refusal(c *request, err error, source string, pairs ...any) reply {
	var e *slurm.Error
	if !errors.As(err, &e) {
		return s.failed(c, http.StatusInternalServerError, -1, err.Error(), source, pairs...)
	}
	return s.failed(c, s.status(e.Number), e.Number, e.Text, source, pairs...)
}

// openapi lists the paths, which is all that clients need of the document.
func (s *Server) openapi() reply {
	paths := map[string]any{}
	for _, v := range s.cfg.Versions {
		for _, p := range endpoints {
			if v < p.from {
				continue
			}
			methods := map[string]any{}
			for _, m := range strings.Fields(p.methods) {
				methods[m] = wire.Object("responses", wire.Object("200", wire.Object("description", "ok")))
			}
			end := "/"
			if v <= 38 || strings.HasSuffix(p.path, "}") || strings.HasSuffix(p.path, "requeue") {
				end = ""
			}
			paths["/slurm/v0.0."+strconv.Itoa(v)+"/"+p.path+end] = methods
		}
	}
	return reply{status: http.StatusOK, body: wire.Object("openapi", "3.0.3", "paths", paths,
		"info", wire.Object("title", "Slurm REST API", "version", s.world.Version()))}
}

var endpoints = []struct {
	path, methods string
	from          int
}{
	{"ping", "get", 38}, {"diag", "get", 38}, {"jobs", "get", 38}, {"nodes", "get", 38}, {"partitions", "get", 38}, {"reservations", "get", 38},
	{"node/{node_name}", "get", 38}, {"job/{job_id}", "get post delete", 38}, {"jobs/state", "get", 41}, {"jobs/requeue", "post", 45},
}
