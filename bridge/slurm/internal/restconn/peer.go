package restconn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dialTrusted connects to a unix socket whose other end is slurmrestd's, so that nobody else is given the token. It
// returns an error of kind "dial" where it is another user's: nothing was sent then.
func (c Config) dialTrusted(ctx context.Context, socket string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: min(10*time.Second, c.Timeout)}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	uid, err := peerUser(conn)
	if err == nil {
		err = c.checkPeer(uid)
	}
	if err != nil {
		return nil, errors.Join(&net.OpError{Op: "dial", Net: "unix", Addr: conn.RemoteAddr(), Err: err}, conn.Close())
	}
	return conn, nil
}

// peerUser returns the number of the user who listens at the other end of a unix socket.
func peerUser(conn net.Conn) (int, error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("asking the kernel who listens: %w", err)
	}
	var cred *syscall.Ucred
	var told error
	err = raw.Control(func(fd uintptr) {
		cred, told = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, told); err != nil {
		return 0, fmt.Errorf("asking the kernel who listens: %w", err)
	}
	return int(cred.Uid), nil
}

// checkPeer returns an error for a user who is not trusted with the token: trusted are root, this process's own user,
// and the configured one, or without that those a slurmrestd usually runs as.
func (c Config) checkPeer(uid int) error {
	if uid == 0 || uid == os.Geteuid() {
		return nil
	}
	names := []string{"slurmrestd-fairbridge", "slurmrestd", c.SlurmUser}
	if c.SocketUser != "" {
		names = []string{c.SocketUser}
	}
	number := strconv.Itoa(uid)
	if slices.ContainsFunc(names, func(name string) bool { return name == number || userNumber(name) == number }) {
		return nil
	}
	return fmt.Errorf("user %d listens there, who is neither root, the user of this process nor %s: nothing was sent; "+
		"end it, or set slurm.socket_user to the user that slurmrestd runs as", uid, strings.Join(names, " nor "))
}

// userNumber returns the number of a user of this host; "" when there is none of that name.
func userNumber(name string) string {
	u, err := user.Lookup(name)
	if err != nil {
		return ""
	}
	return u.Uid
}
