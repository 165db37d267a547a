package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// NewHTTPServer returns a server whose clients cannot hold it up: reading a request, writing
// its answer and waiting for the next one all end. It speaks HTTP/1 only, where a connection is
// a request at a time. The context of each connection is what connContext makes of it, given the
// connection as it was accepted.
func NewHTTPServer(h http.Handler, connContext func(context.Context, net.Conn) context.Context, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: h, Protocols: protocols, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 30 * time.Second,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if limited, ok := c.(*limitedConn); ok {
				c, ctx = limited.Conn, context.WithValue(ctx, senderKey{}, limited.key)
			}
			return connContext(ctx, c)
		},
	}
}

// ConnLimits bounds open connections.
type ConnLimits struct {
	Total  int
	PerKey int // of one address, or of one user of a unix socket
	// Key says whose a connection is. An error closes it.
	Key func(net.Conn) (string, error)
}

// DefaultConnLimits returns limits for a daemon that may have 1024 files open.
func DefaultConnLimits(key func(net.Conn) (string, error)) ConnLimits {
	return ConnLimits{Total: 400, PerKey: 100, Key: key}
}

// senderKey is the key in a request's context of whose its connection is.
type senderKey struct{}

// limitedListener closes connections beyond its limits at once: those that are open go on.
type limitedListener struct {
	net.Listener
	limits ConnLimits

	mu    sync.Mutex
	total int
	open  map[string]int
}

// LimitConns bounds the connections that a listener accepts.
func LimitConns(l net.Listener, limits ConnLimits) net.Listener {
	return &limitedListener{Listener: l, limits: limits, open: map[string]int{}}
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if key, err := l.limits.Key(c); err == nil && l.take(key) {
			return &limitedConn{Conn: c, key: key, release: sync.OnceFunc(func() { l.give(key) })}, nil
		}
		_ = c.Close()
	}
}

func (l *limitedListener) take(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.limits.Total || l.open[key] >= l.limits.PerKey {
		return false
	}
	l.total++
	l.open[key]++
	return true
}

func (l *limitedListener) give(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.open[key]--; l.open[key] == 0 {
		delete(l.open, key)
	}
}

// limitedConn is a connection that counts while it is open.
type limitedConn struct {
	net.Conn
	key     string // whose it is
	release func()
}

// Close closes it and lets another be opened.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
