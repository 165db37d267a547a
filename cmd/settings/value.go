package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return fmt.Errorf("slurm.url: %q is not a URL", s)
	case u.User != nil:
		return errors.New("slurm.url: holds a password; use slurm.token_file")
	case u.Scheme == "http" && u.Host != "" && !isLoopback(u.Hostname()):
		return fmt.Errorf("slurm.url: %q sends the token in clear over the network: use https:// with TLS in front of "+
			"slurmrestd, or a slurmrestd on this host at unix:///run/slurmrestd-fairbridge/rest.sock", s)
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return nil
	case u.Scheme == "unix" && strings.HasPrefix(u.Path, "/"):
		return nil
	}
	return fmt.Errorf("slurm.url: %q is neither http://host:port, https://host:port nor unix:///path/of/socket", s)
}

// maxRetention is the longest time rows can be told to be kept; 0 is longer.
const maxRetention = 100 * 365 * 24 * time.Hour

func checkListenAddress(s string) error {
	if s == "" {
		return nil
	}
	if _, port, err := net.SplitHostPort(s); err != nil || port == "" {
		return fmt.Errorf("listen: %q is not host:port, such as localhost:9811", s)
	}
	return nil
}

func checkProbesURL(s, token string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(s, "{node}", "node"))
	switch {
	case !strings.Contains(s, "{node}"):
		return fmt.Errorf("probes.url: %q names the same place for every node; write {node} where the node's name belongs", s)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "unix":
		return fmt.Errorf("probes.url: %q is neither http://{node}:9810 nor unix:/path/{node}.sock", s)
	case u.Scheme == "http" && token == "" && !isLoopback(u.Hostname()):
		return errors.New("probes.url: over http without a token any user of a node can answer in the place of its probe: set probes.token_file, and --token-file there; or use https")
	}
	return nil
}

// isLoopback reports whether a host is this one.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkCommand(key string, argv []string) error {
	if len(argv) == 0 || slices.Contains(argv, "") {
		return fmt.Errorf("%s: want a program and its arguments, such as [%s]", key, strings.TrimPrefix(key, "slurm."))
	}
	return nil
}

// checkScancel checks the command scancel: none is the one beside scontrol.
func checkScancel(argv []string) error {
	if len(argv) == 0 {
		return nil
	}
	return checkCommand("slurm.scancel", argv)
}

func checkBetween[T int | float64 | time.Duration](key string, v, lo, hi T) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v", key, v, lo, hi)
}

func checkOneOf[T ~string](key string, v T, known ...T) error {
	if slices.Contains(known, v) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", key, v, strings.ReplaceAll(strings.Trim(fmt.Sprint(known), "[]"), " ", ", "))
}
