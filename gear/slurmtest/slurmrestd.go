package slurmtest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/gear/slurmtest/records"
	"fairbridge/replica/sim"
)

// slurmrestd answers requests from a world. It knows nothing of sockets, faults
// and clocks: see Server.
type slurmrestd struct {
	world         *sim.World
	apiVersions   []int
	authenticator authenticator
	timeZone      *time.Location
	hiddenUsers   map[string]bool // users whose jobs no list shows
}

// request is one request under way.
type request struct {
	method, path string
	header       http.Header
	query        url.Values
	body         []byte

	apiVersion int    // version, 0 where the path has none
	subpath    string // what follows the version
	requester
}

func newRequest(r *http.Request, body []byte) *request {
	c := &request{method: r.Method, path: r.URL.Path, header: r.Header, query: r.URL.Query(), body: body}
	c.apiVersion, c.subpath = splitVersionPath(c.path)
	return c
}

// splitVersionPath takes "/slurm/v0.0.45/job/7/" apart: 45 and "job/7".
func splitVersionPath(path string) (version int, tail string) {
	rest, ok := strings.CutPrefix(path, "/slurm/v0.0.")
	if !ok {
		return 0, ""
	}
	v, tail, _ := strings.Cut(rest, "/")
	version, _ = strconv.Atoi(v)
	return version, strings.TrimSuffix(tail, "/")
}

// parseUserPath takes "/slurmdb/v0.0.45/user/rest" apart.
func parseUserPath(path string) (version int, name string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/slurmdb/v0.0.")
	v, name, found := strings.Cut(rest, "/user/")
	version, err := strconv.Atoi(v)
	return version, strings.TrimSuffix(name, "/"), ok && found && err == nil
}

// isWrite reports whether a request can change something: everything but GET,
// and the two GETs of Slurm that do.
func (c *request) isWrite() bool {
	return c.method != http.MethodGet || c.subpath == "reconfigure" || strings.HasSuffix(c.subpath, "/requeue")
}

func (d *slurmrestd) release() releaseVersion { return releaseVersion(d.world.Version()) }

func (d *slurmrestd) newEnvelope(c *request) envelope {
	return envelope{release: d.release(), clusterName: d.world.ClusterName(), apiVersion: c.apiVersion}
}

func (d *slurmrestd) newReadHandler(c *request) *readHandler {
	return &readHandler{envelope: d.newEnvelope(c), world: d.world, hiddenUsers: d.hiddenUsers, encoder: records.Encoder{
		Version: records.Version(c.apiVersion), StartedAt: d.world.StartTime(), ChangedAt: d.world.LastChange(),
	}}
}

func (d *slurmrestd) newWriteHandler(c *request) *writeHandler {
	return &writeHandler{envelope: d.newEnvelope(c), world: d.world, user: c.user, timeZone: d.timeZone}
}

func (d *slurmrestd) newCommands(user string) *slurmCommands {
	return &slurmCommands{world: d.world, user: user, timeZone: d.timeZone}
}

// handle finds the caller and the endpoint.
func (d *slurmrestd) handle(c *request) reply {
	c.requester = d.authenticator.findRequester(c.header, d.release().is2205(), d.world.Now())
	switch v, name, ok := parseUserPath(c.path); {
	case !c.hasCredentials:
		return reply{status: http.StatusUnauthorized, text: "Authentication failure"}
	case strings.HasPrefix(c.path, "/openapi"):
		return d.openAPIReply()
	case ok && d.servesVersion(v) && c.method == http.MethodGet:
		c.apiVersion = v
		return d.newReadHandler(c).showUser(name, c.isAccepted)
	case !d.servesVersion(c.apiVersion):
		return notFoundReply()
	}
	return d.route(c)
}

func (d *slurmrestd) servesVersion(v int) bool { return slices.Contains(d.apiVersions, v) }

// route finds the endpoint. Only ping answers a token that slurmctld refuses.
func (d *slurmrestd) route(c *request) reply {
	for i := range endpoints {
		e := &endpoints[i]
		if arg, ok := e.match(c.subpath); ok && e.method == c.method && c.apiVersion >= e.minAPIVersion && (c.isAccepted || e.servesRefusedToken) {
			return e.serve(d, c, arg)
		}
	}
	_, isJob := oneJobPath.match(c.subpath)
	switch {
	case !c.isAccepted:
		head, _, _ := strings.Cut(c.subpath, "/")
		return d.newEnvelope(c).unauthorisedReply(head)
	case isJob && d.release().is2205():
		return reply{status: http.StatusMethodNotAllowed, text: "Requested REST method is not defined at URL."}
	}
	return notFoundReply()
}
