package slurmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"fairbridge/gear/slurmtest/records"
)

// pathPattern is the path of an endpoint below its version: "jobs/state", or with
// one argument "job/{job_id}".
type pathPattern string

// oneJobPath is where a single job is read, changed and cancelled.
const oneJobPath pathPattern = "job/{job_id}"

// match returns the argument of a path that fits.
func (p pathPattern) match(tail string) (arg string, ok bool) {
	head, _, takesOne := strings.Cut(string(p), "{")
	if !takesOne {
		return "", tail == string(p)
	}
	arg, ok = strings.CutPrefix(tail, head)
	return arg, ok && arg != "" && !strings.Contains(arg, "/")
}

// endpoint is one method of a path.
type endpoint struct {
	method string
	pathPattern
	minAPIVersion      int  // API version
	servesRefusedToken bool // it answers to tokens that slurmctld refuses
	serve              func(d *slurmrestd, c *request, arg string) reply
}

var endpoints = []endpoint{
	{"GET", "ping", 38, true, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).showPing(c.isAccepted) }},
	{"GET", "diag", 38, false, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).showDiag() }},
	{"GET", "jobs", 38, false, func(d *slurmrestd, c *request, _ string) reply {
		return d.newReadHandler(c).listJobs(c.query.Get("update_time"))
	}},
	{"GET", "nodes", 38, false, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).listNodes() }},
	{"GET", "partitions", 38, false, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).listPartitions() }},
	{"GET", "reservations", 38, false, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).listReservations() }},
	{"GET", "node/{node_name}", 38, false, func(d *slurmrestd, c *request, name string) reply { return d.newReadHandler(c).showNode(name) }},
	{"GET", oneJobPath, 38, false, func(d *slurmrestd, c *request, id string) reply {
		return d.newReadHandler(c).showJob(id, c.query["flags"])
	}},
	{"POST", oneJobPath, 38, false, func(d *slurmrestd, c *request, id string) reply { return d.newWriteHandler(c).updateJob(id, c.body) }},
	{"DELETE", oneJobPath, 38, false, func(d *slurmrestd, c *request, id string) reply {
		return d.newWriteHandler(c).cancelJob(id, c.query.Get("signal"))
	}},
	{"GET", "jobs/state", 41, false, func(d *slurmrestd, c *request, _ string) reply { return d.newReadHandler(c).listStates() }},
	{"POST", "jobs/requeue", 45, false, func(d *slurmrestd, c *request, _ string) reply { return d.newWriteHandler(c).requeueJobs(c.body) }},
}

// openAPIReply lists the paths, which is all that clients need of the document.
func (d *slurmrestd) openAPIReply() reply {
	paths := map[string]any{}
	for _, v := range d.apiVersions {
		for i := range endpoints {
			e := &endpoints[i]
			if v < e.minAPIVersion {
				continue
			}
			key := e.versionedPath(v)
			methods, ok := paths[key].(map[string]any)
			if !ok {
				methods = map[string]any{}
				paths[key] = methods
			}
			methods[strings.ToLower(e.method)] = records.NewObject("responses", records.NewObject("200", records.NewObject("description", "ok")))
		}
	}
	return reply{status: http.StatusOK, body: records.NewObject("openapi", "3.0.3", "paths", paths,
		"info", records.NewObject("title", "Slurm REST API", "version", d.release()))}
}

// versionedPath returns the path as the document of a version lists it.
func (e *endpoint) versionedPath(v int) string {
	p := "/slurm/v0.0." + strconv.Itoa(v) + "/" + string(e.pathPattern)
	if v <= 38 || strings.HasSuffix(p, "}") || strings.HasSuffix(p, "requeue") {
		return p
	}
	return p + "/"
}

// noEndpointText is what slurmrestd says about paths it does not know, versions
// included.
const noEndpointText = "Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint for a list of all endpoints."

// reply is an answer: JSON, or text when body is nil.
type reply struct {
	status int
	body   map[string]any
	text   string
}

// addWarning adds an entry to warnings[].
func (r *reply) addWarning(description, source string) {
	list, _ := r.body["warnings"].([]any)
	r.body["warnings"] = append(list, records.NewObject("description", description, "source", source))
}

// encode returns the reply as it goes over the wire.
func (r reply) encode() []byte {
	if r.body == nil {
		return []byte(r.text)
	}
	b, err := json.Marshal(r.body)
	if err != nil {
		panic(fmt.Sprintf("slurmtest: a reply cannot be written: %v", err)) // only values made here go in
	}
	return b
}
