package socket

import (
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Names are the hosts and ports by which a daemon is asked over TLS: those of its URL and of the
// address that it listens on, and the names in its certificate with either port. A wildcard in
// the certificate is no name: what else it covers need not be this daemon.
type Names struct {
	hosts, ports []string
	certificate  *Certificate // nil: it has no names
}

// NewNames returns the names of a daemon that listens on host:port, and is reached by a URL
// ("": by what it listens on).
func NewNames(listen, ownURL string) *Names {
	n := &Names{}
	if u, err := url.Parse(ownURL); ownURL != "" && err == nil {
		n.add(u.Host)
	}
	n.add(listen)
	return n
}

// add takes a host and its port. An address that stands for all of a host is no name.
func (n *Names) add(hostPort string) {
	if hostPort == "" {
		return
	}
	host, port, ok := splitHost(hostPort)
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		n.hosts = append(n.hosts, host)
	}
	if number, err := net.LookupPort("tcp", port); ok && err == nil {
		n.ports = append(n.ports, strconv.Itoa(number))
	}
}

// Use adds the names in a certificate, as it is at any time. It is called before others ask.
func (n *Names) Use(c *Certificate) { n.certificate = c }

// IsOwn reports whether a request's Host names this daemon.
func (n *Names) IsOwn(hostPort string) bool {
	host, port, ok := splitHost(hostPort)
	return ok && host != "" && slices.Contains(n.ports, port) && (slices.Contains(n.hosts, host) || n.leaf().VerifyHostname(host) == nil)
}

// List has the names as one may ask by them, the best first.
func (n *Names) List() (all []string) {
	if len(n.ports) == 0 {
		return nil
	}
	leaf := n.leaf()
	hosts := append(slices.Clone(n.hosts), leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	for _, host := range hosts {
		name := "https://" + strings.TrimSuffix(net.JoinHostPort(host, n.ports[0]), ":"+httpsPort)
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// leaf is the certificate as it is now, without wildcards.
func (n *Names) leaf() *x509.Certificate {
	leaf := &x509.Certificate{}
	if n.certificate != nil && n.certificate.current().Leaf != nil {
		*leaf = *n.certificate.current().Leaf
	}
	leaf.DNSNames = slices.DeleteFunc(slices.Clone(leaf.DNSNames), func(name string) bool { return strings.Contains(name, "*") })
	return leaf
}

const httpsPort = "443"

// splitHost splits what names a host, and the port of https where it names none.
func splitHost(hostPort string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil { // without a port
		host, port, err = net.SplitHostPort(hostPort + ":" + httpsPort)
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), port, err == nil
}
