package server

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// KeyByAddress says from which address a connection is.
func KeyByAddress(c net.Conn) (string, error) {
	return networkOf(c.RemoteAddr().String()), nil
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
