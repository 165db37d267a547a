package listen

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

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
