// Package listen bounds the connections that the programs' servers accept, and how long their clients may take.
package listen

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// NewHTTPServer returns a server whose clients cannot hold it up: reading a request, writing
// its answer and waiting for the next one all end. It speaks HTTP/1 only, where a connection is
// a request at a time. The context of each connection is what connContext makes of it, given the
// connection as it was accepted; nil: it stays as it is.
func NewHTTPServer(
	h http.Handler, connContext func(context.Context, net.Conn) context.Context, log *slog.Logger,
) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: h, Protocols: protocols, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			inner := c
			if tls, ok := c.(interface{ NetConn() net.Conn }); ok {
				inner = tls.NetConn()
			}
			if limited, ok := inner.(*limitedConn); ok {
				ctx = context.WithValue(ctx, connKey{}, limited)
				if inner == c {
					c = limited.Conn
				}
			}
			if connContext == nil {
				return ctx
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

// FewConnLimits returns limits for what a few programs ask now and then, such as Prometheus.
func FewConnLimits() ConnLimits { return ConnLimits{Total: 64, PerKey: 32, Key: KeyByAddress} }

// connKey is the key in a request's context of its connection.
type connKey struct{}

// Sender returns whose the connection of a request is; false where it is not bounded.
func Sender(ctx context.Context) (string, bool) {
	c, ok := ctx.Value(connKey{}).(*limitedConn)
	if !ok {
		return "", false
	}
	return c.key, true
}

// MarkProven notes that it is proven who sends a request: its connection gives way to no other.
func MarkProven(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*limitedConn); ok {
		c.stage.Store(stageProven)
	}
}

// limitedListener closes connections beyond its limits: the oldest of which nothing was heard, else the oldest
// of which it is not proven whose it is, else the newest. So who only holds connections keeps nobody out.
type limitedListener struct {
	net.Listener
	limits ConnLimits

	mu   sync.Mutex
	open []*limitedConn // the oldest first
}

// LimitConns bounds the connections that a listener accepts.
func LimitConns(l net.Listener, limits ConnLimits) net.Listener {
	return &limitedListener{Listener: l, limits: limits}
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		key, err := l.limits.Key(c)
		if err != nil {
			_ = c.Close()
			continue
		}
		limited := &limitedConn{Conn: c, key: key}
		limited.release = sync.OnceFunc(func() { l.remove(limited) })
		dropped := l.add(limited)
		if dropped != nil {
			_ = dropped.Close()
		}
		if dropped != limited {
			return limited, nil
		}
	}
}

// add counts a connection and returns which must be closed for it: it itself where all others are proven, nil where
// there is room.
func (l *limitedListener) add(c *limitedConn) (dropped *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := 0
	for _, o := range l.open {
		if o.key == c.key {
			same++
		}
	}
	l.open = append(l.open, c)
	switch {
	case same >= l.limits.PerKey:
		return l.leastHeard(func(o *limitedConn) bool { return o.key == c.key })
	case len(l.open) > l.limits.Total:
		return l.leastHeard(func(*limitedConn) bool { return true })
	}
	return nil
}

// leastHeard returns the oldest of those connections that came least far, but the newest where all are proven.
func (l *limitedListener) leastHeard(isOne func(*limitedConn) bool) *limitedConn {
	newest := l.open[len(l.open)-1]
	for _, stage := range []int32{stageSilent, stageHeard} {
		for _, o := range l.open {
			if o != newest && isOne(o) && o.stage.Load() == stage {
				return o
			}
		}
	}
	return newest
}

func (l *limitedListener) remove(c *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.open, c); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// How far a connection came.
const (
	stageSilent int32 = iota // nothing was heard
	stageHeard               // something was
	stageProven              // it is proven who sends
)

// limitedConn is a connection that counts while it is open.
type limitedConn struct {
	net.Conn
	key     string // whose it is
	stage   atomic.Int32
	release func()
}

// Read notes that something was heard.
func (c *limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.stage.CompareAndSwap(stageSilent, stageHeard)
	}
	return n, err
}

// Close closes it and lets another be opened.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// KeyByAddress says from which address a connection is.
func KeyByAddress(c net.Conn) (string, error) {
	return NetworkOf(c.RemoteAddr().String()), nil
}

// KeyByUser says which user of this host is at the other end of a unix socket.
func KeyByUser(c net.Conn) (string, error) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return "", errors.New("it is no socket")
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return "", err
	}
	var peer *unix.Ucred
	var peerErr error
	err = raw.Control(func(fd uintptr) { peer, peerErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, peerErr); err != nil {
		return "", fmt.Errorf("asking the kernel who is at the other end: %w", err)
	}
	return fmt.Sprintf("uid %d", peer.Uid), nil
}

// NetworkOf is the address of host:port without the port: of IPv6 the network, which one host
// has all of.
func NetworkOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
