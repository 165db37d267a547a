package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"fairbridge/replica/sim"
)

// Server is a running slurmrestd. Its methods may be called at any time from
// any goroutine.
type Server struct {
	listenAddress string
	httpServer    *http.Server
	listener      net.Listener
	serveEnded    chan struct{}
	sleep         func(time.Duration)

	mu         sync.Mutex
	slurmrestd slurmrestd
	worldClock simulatedClock
	faults     faults
	calls      []Call
}

// New makes a server that is not listening, for use as an http.Handler.
func New(c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Server{
		listenAddress: c.ListenAddress, serveEnded: make(chan struct{}), sleep: c.Sleep,
		slurmrestd: slurmrestd{
			world: c.World, apiVersions: c.APIVersions, timeZone: c.TimeZone, hiddenUsers: map[string]bool{},
			authenticator: authenticator{userByToken: c.UserByToken, signingKey: c.SigningKey, localUser: c.LocalUser},
		},
		worldClock: simulatedClock{wallClock: c.ReadWallClock, speed: c.Speed, wallStart: c.ReadWallClock(), worldStart: c.World.Now()},
	}, nil
}

// Start makes a server and listens.
func Start(c Config) (*Server, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	network, address := "tcp", s.listenAddress
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	if s.listener, err = net.Listen(network, address); err != nil {
		return nil, fmt.Errorf("listening on %s: %w", s.listenAddress, err)
	}
	s.httpServer = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.serveEnded)
		if err := s.httpServer.Serve(s.listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "slurmtest:", err)
		}
	}()
	return s, nil
}

// URL returns "http://127.0.0.1:port" or "unix:/path".
func (s *Server) URL() string {
	if s.listener.Addr().Network() == "unix" {
		return "unix:" + s.listener.Addr().String()
	}
	return "http://" + s.listener.Addr().String()
}

// Close stops listening and ends every connection.
func (s *Server) Close() error {
	if s.httpServer == nil {
		return nil
	}
	err := s.httpServer.Close()
	<-s.serveEnded
	return err
}

// ServeUntilDone blocks until the context ends, then closes.
func (s *Server) ServeUntilDone(ctx context.Context) error {
	<-ctx.Done()
	return s.Close()
}

// WithWorld lets f use the world while no request is served. With a Speed set, the
// world first catches up with the clock.
func (s *Server) WithWorld(f func(*sim.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.advanceWorld())
}

// advanceWorld moves the world on to where the wall clock says it should be.
func (s *Server) advanceWorld() *sim.World {
	if s.worldClock.speed > 0 {
		s.slurmrestd.world.Advance(s.worldClock.now())
	}
	return s.slurmrestd.world
}

// simulatedClock says how the world follows the wall clock.
type simulatedClock struct {
	wallClock             func() time.Time
	speed                 float64   // 0: not at all
	wallStart, worldStart time.Time // the world was at "to" when the wall clock showed "from"
}

// now is where the world should be.
func (p *simulatedClock) now() time.Time {
	passed := float64(p.wallClock().Sub(p.wallStart)) * p.speed
	return p.worldStart.Add(time.Duration(passed))
}

// SetAuthState says what becomes of every token from now on, as when a token runs out or the key is changed.
func (s *Server) SetAuthState(a AuthState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.authenticator.authState = a
}

// SetAPIVersions changes the API versions that are served, as an upgrade of Slurm does.
func (s *Server) SetAPIVersions(versions ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.apiVersions = versions
}

// HideJobsOf leaves the jobs of some users out of every list, without a word, as
// PrivateData=jobs does to a caller who has lost his rights.
func (s *Server) HideJobsOf(users ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.hiddenUsers = map[string]bool{}
	for _, u := range users {
		s.slurmrestd.hiddenUsers[u] = true
	}
}

// InjectFault adds a fault. Of several that match, the earliest strikes.
func (s *Server) InjectFault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// RunScontrol runs "scontrol args…" as a user and returns what it prints and its
// exit status. It knows requeue [Incomplete] LIST, hold LIST, release LIST, show
// config, show job N and update JobId=N [Priority=N] [Nice=N] [SiteFactor=N]
// [StartTime=now+N]; and in place of another program scancel [--batch
// --signal=NAME] LIST.
func (s *Server) RunScontrol(user string, args ...string) (output string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceWorld()
	return s.slurmrestd.newCommands(user).run(args)
}

// CallCounts returns how many reads and writes arrived.
func (s *Server) CallCounts() CallCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return countCalls(s.calls)
}

// Calls returns all requests since the start or the last ForgetCalls, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ForgetCalls forgets the requests so far.
func (s *Server) ForgetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// Config says what to serve and to whom.
type Config struct {
	World         *sim.World
	ListenAddress string // "127.0.0.1:0" when empty; "unix:/path" for a socket
	APIVersions   []int  // API versions, 45 for v0.0.45; those of the world's release when empty

	// Who may come in. With nothing set any token is good, and the user is the
	// one in X-SLURM-USER-NAME, "slurm" without it.
	UserByToken map[string]string // token → user
	SigningKey  []byte            // HS256 key: tokens are verified, with their expiry by the world's clock
	LocalUser   string            // user of every caller without a token, as on a unix socket

	Speed         float64             // the world follows the wall clock so many times as fast; 0: it stands unless moved
	ReadWallClock func() time.Time    // wall clock; time.Now when nil
	TimeZone      *time.Location      // of the slurmrestd host, for 22.05's begin times; UTC when nil
	Sleep         func(time.Duration) // how faults wait; time.Sleep when nil
}

// knownVersions returns the API versions of all releases, sorted.
func knownVersions() []int {
	all := slices.Concat(slices.Collect(maps.Values(versionsByRelease))...)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c Config) withDefaults() (Config, error) {
	if c.World == nil {
		return c, fmt.Errorf("slurmtest: Config.World is missing")
	}
	release := c.World.Version()
	if c.APIVersions == nil {
		for prefix, list := range versionsByRelease {
			if strings.HasPrefix(release, prefix) {
				c.APIVersions = list
			}
		}
	}
	known := knownVersions()
	isUnknown := func(v int) bool { return !slices.Contains(known, v) }
	if len(c.APIVersions) == 0 || slices.ContainsFunc(c.APIVersions, isUnknown) {
		return c, fmt.Errorf("slurmtest: API versions %v of Slurm %s: want some of %d to %d", c.APIVersions, release, known[0], known[len(known)-1])
	}
	if c.ListenAddress == "" {
		c.ListenAddress = "127.0.0.1:0"
	}
	if c.ReadWallClock == nil {
		c.ReadWallClock = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = time.Sleep
	}
	if c.TimeZone == nil {
		c.TimeZone = time.UTC
	}
	return c, nil
}

// Call is one request as it arrived and what was answered.
type Call struct {
	Method     string
	Path       string // without the query
	Query      string
	Body       string
	User       string
	HTTPStatus int  // 0: no answer was sent
	IsWrite    bool // it could change something
}

// CallCounts are numbers of requests since the start or the last ForgetCalls.
type CallCounts struct{ Reads, Writes int }

// countCalls says how many of the calls were reads and writes.
func countCalls(calls []Call) CallCounts {
	var c CallCounts
	for i := range calls {
		if calls[i].IsWrite {
			c.Writes++
		} else {
			c.Reads++
		}
	}
	return c
}
