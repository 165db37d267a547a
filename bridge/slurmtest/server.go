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
	cfg  Config
	http *http.Server
	ln   net.Listener
	done chan struct{}

	mu     sync.Mutex
	world  *sim.World
	origin time.Time // wall clock at the world's moment zero
	zero   time.Time
	faults []*Fault
	auth   Auth
	hidden map[string]bool
	calls  []Call
}

// New makes a server that is not listening, for use as an http.Handler.
func New(c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Server{
		cfg: c, world: c.World, origin: c.Clock(), zero: c.World.Now(),
		hidden: map[string]bool{}, done: make(chan struct{}),
	}, nil
}

// Start makes a server and listens.
func Start(c Config) (*Server, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	network, address := "tcp", s.cfg.Listen
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	if s.ln, err = net.Listen(network, address); err != nil {
		return nil, fmt.Errorf("listening on %s: %w", s.cfg.Listen, err)
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

// World lets f use the world while no request is served. With a Speed set, the
// world first catches up with the clock.
func (s *Server) World(f func(*sim.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	f(s.world)
}

// follow moves the world on to where the wall clock says it should be.
func (s *Server) follow() {
	if s.cfg.Speed > 0 {
		passed := float64(s.cfg.Clock().Sub(s.origin)) * s.cfg.Speed
		s.world.Advance(s.zero.Add(time.Duration(passed)))
	}
}

// Serves changes the API versions that are served, as an upgrade of Slurm does.
func (s *Server) Serves(versions ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.Versions = versions
}

// Hide leaves the jobs of some users out of every list, without a word, as
// PrivateData=jobs does to a caller who has lost his rights.
func (s *Server) Hide(users ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = map[string]bool{}
	for _, u := range users {
		s.hidden[u] = true
	}
}
