package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"testing"
)

// withNames is a certificate of some names, which its files keep.
func withNames(names []string, ips ...net.IP) *Certificate {
	return &Certificate{now: &tls.Certificate{Leaf: &x509.Certificate{DNSNames: names, IPAddresses: ips}}}
}

func TestNames(t *testing.T) {
	certificate := withNames([]string{"ctl", "ctl.lab.example", "*.lab.example"}, net.IPv4(10, 0, 0, 1), net.IPv6loopback)
	for _, c := range []struct {
		listen, url string
		own, others []string
	}{
		{"0.0.0.0:9812", "", []string{"ctl:9812", "CTL:9812", "ctl.lab.example:9812", "ctl.lab.example.:9812", "10.0.0.1:9812", "[::1]:9812"},
			[]string{"", ":9812", "ctl", "ctl:", "ctl:443", "ctl:9813", "evil.lab.example:9812", "*.lab.example:9812", "10.0.0.2:9812", "0.0.0.0:9812", "xctl:9812", "ctl:9812:9812", "ctl:9812, evil"}},
		{":9812", "https://Fair.example", []string{"fair.example", "fair.example:443", "fair.example:9812", "ctl:9812", "ctl"}, []string{"fair.example:80", "other.example"}},
		{"ctl2:https", "", []string{"ctl2", "ctl2:443", "ctl"}, []string{"ctl2:9812", "[::]:443"}},
		{"", "", nil, []string{"ctl", "ctl:443"}},
	} {
		n := NewNames(c.listen, c.url)
		n.Use(certificate)
		for _, host := range c.own {
			if !n.IsOwn(host) {
				t.Errorf("%s %s: %q is not its own", c.listen, c.url, host)
			}
		}
		for _, host := range c.others {
			if n.IsOwn(host) {
				t.Errorf("%s %s: %q is its own", c.listen, c.url, host)
			}
		}
		if c.listen != "" && !n.IsOwn(n.List()[0][len("https://"):]) {
			t.Errorf("%s %s: it is not what it says: %v", c.listen, c.url, n.List())
		}
	}
}

func TestNamesAreTold(t *testing.T) {
	n := NewNames(":9812", "https://fair.example:9813")
	n.Use(withNames([]string{"fair.example", "*.lab", "ctl"}, net.IPv6loopback))
	if got := n.List(); !slices.Equal(got, []string{"https://fair.example:9813", "https://ctl:9813", "https://[::1]:9813"}) {
		t.Error(got)
	}
	only := NewNames(":9812", "")
	only.Use(withNames([]string{"*.lab"}))
	if got := only.List(); len(got) != 0 || only.IsOwn("ctl.lab:9812") {
		t.Errorf("of wildcards alone it has the names %v", got)
	}
}

// TestNamesOfANewCertificate: the names change with the file.
func TestNamesOfANewCertificate(t *testing.T) {
	c, n := withNames([]string{"old"}), NewNames(":1", "")
	n.Use(c)
	c.now = withNames([]string{"new"}).now
	if n.IsOwn("old:1") || !n.IsOwn("new:1") {
		t.Error("it goes by the old names")
	}
}
