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

	"fairbridge/bridge/sim"
)

// Server is a running slurmrestd. Its methods may be called at any time from
// any goroutine.
type Server struct {
	listen string
	http   *http.Server
	ln     net.Listener
	done   chan struct{}
	slow   func(time.Duration)

	mu     sync.Mutex
	slurm  slurmrestd
	pace   simulatedClock
	faults faults
	calls  []Call
}

// New makes a server that is not listening, for use as an http.Handler.
func New(c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Server{
		listen: c.Listen, done: make(chan struct{}), slow: c.Slow,
		slurm: slurmrestd{
			world: c.World, versions: c.Versions, zone: c.Zone, hidden: map[string]bool{},
			access: authenticator{tokens: c.Tokens, key: c.Key, local: c.Local},
		},
		pace: simulatedClock{clock: c.Clock, speed: c.Speed, from: c.Clock(), to: c.World.Now()},
	}, nil
}

// Start makes a server and listens.
func Start(c Config) (*Server, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	network, address := "tcp", s.listen
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	if s.ln, err = net.Listen(network, address); err != nil {
		return nil, fmt.Errorf("listening on %s: %w", s.listen, err)
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(s.ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "slurmtest:", err)
		}
	}()
	return s, nil
}

// URL returns "http://127.0.0.1:port" or "unix:/path".
func (s *Server) URL() string {
	if s.ln.Addr().Network() == "unix" {
		return "unix:" + s.ln.Addr().String()
	}
	return "http://" + s.ln.Addr().String()
}

// Close stops listening and ends every connection.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	<-s.done
	return err
}

// Serve blocks until the context ends, then closes.
func (s *Server) Serve(ctx context.Context) error {
	<-ctx.Done()
	return s.Close()
}

// WithWorld lets f use the world while no request is served. With a Speed set, the
// world first catches up with the clock.
func (s *Server) WithWorld(f func(*sim.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.catchUp())
}

// catchUp moves the world on to where the wall clock says it should be.
func (s *Server) catchUp() *sim.World {
	if s.pace.speed > 0 {
		s.slurm.world.Advance(s.pace.now())
	}
	return s.slurm.world
}

// simulatedClock says how the world follows the wall clock.
type simulatedClock struct {
	clock    func() time.Time
	speed    float64   // 0: not at all
	from, to time.Time // the world was at "to" when the wall clock showed "from"
}

// now is where the world should be.
func (p *simulatedClock) now() time.Time {
	passed := float64(p.clock().Sub(p.from)) * p.speed
	return p.to.Add(time.Duration(passed))
}
