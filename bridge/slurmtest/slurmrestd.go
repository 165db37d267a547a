package slurmtest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurmtest/wire"
)

// slurmrestd answers requests from a world. It knows nothing of sockets, faults
// and clocks: see Server.
type slurmrestd struct {
	world    *sim.World
	versions []int
	access   access
	zone     *time.Location
	hidden   map[string]bool // users whose jobs no list shows
}

// request is one request under way.
type request struct {
	method, path string
	header       http.Header
	query        url.Values
	body         []byte

	api  int    // version, 0 where the path has none
	tail string // what follows the version
	caller
}

func newRequest(r *http.Request, body []byte) *request {
	c := &request{method: r.Method, path: r.URL.Path, header: r.Header, query: r.URL.Query(), body: body}
	c.api, c.tail = split(c.path)
	return c
}

// split takes "/slurm/v0.0.45/job/7/" apart: 45 and "job/7".
func split(path string) (version int, tail string) {
	rest, ok := strings.CutPrefix(path, "/slurm/v0.0.")
	if !ok {
		return 0, ""
	}
	v, tail, _ := strings.Cut(rest, "/")
	version, _ = strconv.Atoi(v)
	return version, strings.TrimSuffix(tail, "/")
}

// userPath takes "/slurmdb/v0.0.45/user/rest" apart.
func userPath(path string) (version int, name string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/slurmdb/v0.0.")
	v, name, found := strings.Cut(rest, "/user/")
	version, err := strconv.Atoi(v)
	return version, strings.TrimSuffix(name, "/"), ok && found && err == nil
}

// writes reports whether a request can change something: everything but GET,
// and the two GETs of Slurm that do.
func (c *request) writes() bool {
	return c.method != http.MethodGet || c.tail == "reconfigure" || strings.HasSuffix(c.tail, "/requeue")
}

func (d *slurmrestd) release() release { return release(d.world.Version()) }

func (d *slurmrestd) envelope(c *request) envelope {
	return envelope{release: d.release(), cluster: d.world.Cluster(), api: c.api}
}

func (d *slurmrestd) reader(c *request) *reader {
	return &reader{envelope: d.envelope(c), world: d.world, hidden: d.hidden, encoder: wire.Encoder{
		Version: wire.Version(c.api), Started: d.world.Started(), Changed: d.world.Changed(),
	}}
}

func (d *slurmrestd) writer(c *request) *writer {
	return &writer{envelope: d.envelope(c), world: d.world, user: c.user, zone: d.zone}
}

func (d *slurmrestd) programs(user string) *programs {
	return &programs{world: d.world, user: user, zone: d.zone}
}

// handle finds the caller and the endpoint.
func (d *slurmrestd) handle(c *request) reply {
	c.caller = d.access.caller(c.header, d.release().old(), d.world.Now())
	switch v, name, ok := userPath(c.path); {
	case !c.here:
		return reply{status: http.StatusUnauthorized, text: "Authentication failure"}
	case strings.HasPrefix(c.path, "/openapi"):
		return d.openapi()
	case ok && d.serves(v) && c.method == http.MethodGet:
		c.api = v
		return d.reader(c).user(name, c.good)
	case !d.serves(c.api):
		return notFound()
	}
	return d.route(c)
}

func (d *slurmrestd) serves(v int) bool { return slices.Contains(d.versions, v) }

// route finds the endpoint. Only ping answers a token that slurmctld refuses.
func (d *slurmrestd) route(c *request) reply {
	for i := range endpoints {
		e := &endpoints[i]
		if arg, ok := e.match(c.tail); ok && e.method == c.method && c.api >= e.from && (c.good || e.open) {
			return e.serve(d, c, arg)
		}
	}
	_, isJob := oneJob.match(c.tail)
	switch {
	case !c.good:
		head, _, _ := strings.Cut(c.tail, "/")
		return d.envelope(c).unauthorised(head)
	case isJob && d.release().old():
		return reply{status: http.StatusMethodNotAllowed, text: "Requested REST method is not defined at URL."}
	}
	return notFound()
}
