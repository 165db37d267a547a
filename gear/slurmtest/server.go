package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
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
