package identity

import (
	"context"
	"net"
	"net/http"
	"syscall"

	"fairbridge/api"
	"fairbridge/api/credential"
)

// peer is who is at the other end of a unix socket.
type peer struct {
	uid uint32
	err error // why the kernel did not tell
}

type peerKey struct{}

func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(peerKey{}).(*peer)
	return p
}

// ConnContext notes who is at the other end of a unix socket, for http.Server.ConnContext.
func (i *Identifier) ConnContext(ctx context.Context, c net.Conn) context.Context {
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	uid, err := readPeer(unix)
	return context.WithValue(ctx, peerKey{}, &peer{uid, err})
}

func readPeer(c *net.UnixConn) (uint32, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	if outer := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); outer != nil {
		return 0, outer
	}
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}

// proveByPeer tells who is at the other end of a unix socket.
func (i *Identifier) proveByPeer(r *http.Request) (proof, error) {
	p := peerOf(r.Context())
	switch {
	case p == nil:
		return proof{}, nil
	case p.err != nil:
		return proof{}, refuse("the kernel did not tell who is at the other end of the socket", "try again")
	case !credential.IsUser(p.uid):
		return proof{}, refuse("the user id at the other end of the socket stands for no user", "ask as a user of this host, outside of containers with users of their own")
	}
	name, err := i.users.nameOf(r.Context(), p.uid)
	return proof{name, api.OriginSocket}, err
}
