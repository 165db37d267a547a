// Package slurmtest is a slurmrestd in front of a sim.World: every API version
// of the table in config.go in its own shape, with Slurm's status codes, error
// numbers and traps, and with faults on demand. It serves tests over real
// sockets, and demonstrations that have no Slurm.
//
//	w, err := sim.New(sim.Config{Nodes: sim.UniformNodes(4, "a100", 8)})
//	s, err := slurmtest.Start(slurmtest.Config{World: w})
//	defer s.Close()
//	… client talks to s.URL() …
//	s.WithWorld(func(w *sim.World) { w.Advance(w.Now().Add(time.Minute)) })
//	s.InjectFault(slurmtest.Fault{Kind: slurmtest.FaultLostAnswer, Method: "POST", MaxStrikes: 1})
//
// Server is what tests hold: it listens, keeps the world going, injects faults
// and records calls. Behind it slurmrestd finds the caller and the endpoint; a
// readHandler answers from the world, a writeHandler changes it; a release, its envelope
// and package records give the answer its shape, package update reads the bodies
// of job updates, and a fault says what is left of the answer.
//
// Replies were modelled on recordings of Slurm 22.05, 24.11 and 26.05.
// v0.0.39 was never recorded: it is v0.0.40 with the job state as one word.
package slurmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

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

// AuthState says what becomes of every token, whatever it is.
type AuthState int

// The states of authentication.
const (
	AuthNormal  AuthState = iota // as configured
	AuthExpired                  // every token is refused as expired
	AuthForged                   // every token is refused as not ours; Slurm answers the same
)

// authenticator says who may come in: see Config.
type authenticator struct {
	userByToken map[string]string
	signingKey  []byte
	localUser   string
	authState   AuthState
}

// requester is who asks.
type requester struct {
	user           string
	hasCredentials bool // with credentials; without any the answer is 401
	isAccepted     bool // slurmctld takes them
}

// findRequester finds who asks. 22.05 knows fewer headers than the others.
func (a *authenticator) findRequester(h http.Header, old bool, now time.Time) requester {
	token, name := h.Get("X-SLURM-USER-TOKEN"), h.Get("X-SLURM-USER-NAME")
	if token == "" && !old {
		token, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	}
	if token == "" {
		return requester{user: a.localUser, hasCredentials: a.localUser != "", isAccepted: true}
	}
	if old && name == "" {
		return requester{}
	}
	user, good := a.verifyToken(token, name, now)
	return requester{user: user, hasCredentials: true, isAccepted: good && a.authState == AuthNormal}
}

// verifyToken maps a token to its user. SlurmUser may act as any user.
func (a *authenticator) verifyToken(token, name string, now time.Time) (string, bool) {
	user := ""
	switch {
	case a.userByToken != nil:
		user = a.userByToken[token]
	case a.signingKey != nil:
		user = a.userFromSignedToken(token, now)
	default:
		if user = name; user == "" {
			user = "slurm"
		}
	}
	switch {
	case user == "":
		return "", false
	case name == "" || name == user:
		return user, true
	}
	return name, user == "slurm" || user == "root"
}

// userFromSignedToken returns the user of a token of our key that has not run out.
func (a *authenticator) userFromSignedToken(token string, now time.Time) string {
	t, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return a.signingKey, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now }))
	if err != nil {
		return ""
	}
	claims, _ := t.Claims.(jwt.MapClaims)
	if sun, ok := claims["sun"].(string); ok {
		return sun
	}
	user, _ := claims["username"].(string)
	return user
}

// maxBodyBytes is the most slurmrestd reads.
const maxBodyBytes = 50 << 20

// ServeHTTP answers one request as slurmrestd would, faults permitting.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		http.Error(w, "Body too large", http.StatusRequestEntityTooLarge)
		return
	}
	s.mu.Lock()
	f := s.faults.strike(r.Method, r.URL.Path)
	s.mu.Unlock()
	if f.Kind == FaultSlowReply {
		s.sleep(f.Delay)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceWorld()
	c, out := newRequest(r, body), &responder{httpWriter: w}
	defer func() {
		s.calls = append(s.calls, Call{
			Method: c.method, Path: c.path, Query: r.URL.RawQuery, Body: string(body), User: c.user, HTTPStatus: out.status, IsWrite: c.isWrite(),
		})
	}()
	w.Header().Set("Date", s.slurmrestd.world.Now().UTC().Format(http.TimeFormat))
	if !f.answerInstead(out, s.slurmrestd.newReadHandler(c)) {
		s.answerWithFault(c, f, out)
	}
}

// answerWithFault does what is asked, and spoils the answer if the fault says so.
func (s *Server) answerWithFault(c *request, f Fault, out *responder) {
	switch f.Kind {
	case FaultLateEffect:
		w := s.slurmrestd.world
		w.ScheduleAt(w.Now().Add(f.Delay), func() { s.handle(c) })
		out.resetConnection()
		return
	case FaultDoneTwice:
		s.handle(c)
	}
	f.deliver(out, s.handle(c))
}

// handle answers for slurmrestd, and for scontrol.
func (s *Server) handle(c *request) reply {
	if !strings.HasPrefix(c.path, "/scontrol") {
		return s.slurmrestd.handle(c)
	}
	var q ScontrolRequest
	if c.method != http.MethodPost || json.Unmarshal(c.body, &q) != nil {
		return reply{status: http.StatusBadRequest, text: "want POST {\"user\":…,\"args\":[…]}"}
	}
	c.user = q.User
	text, status := s.slurmrestd.newCommands(q.User).run(q.Args)
	return reply{status: http.StatusOK, body: records.NewObject("output", text, "status", status)}
}

// ScontrolRequest is the body of POST /scontrol, by which a stand-in program
// in another process reaches RunScontrol.
type ScontrolRequest struct {
	User string   `json:"user"`
	Args []string `json:"args"`
}

// ScontrolReply is the answer.
type ScontrolReply struct {
	Output string `json:"output"`
	Status int    `json:"status"`
}
