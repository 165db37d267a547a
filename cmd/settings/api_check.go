// Package settings reads the configuration file: YAML, strict, with every problem
// of its keys and types reported at once, or else every problem of its values, each
// with its line and column. Secrets never stand in the file; it names the files or
// environment variables that hold them.
//
// Here is the file: its keys (file.go), their bounds (check.go) and what the parts of
// the program are told of it (loop.go, parts.go). The values that the loop works with
// are bridge.Config, in bridge/config.go, which knows of no file. Four sections are its
// own types, keys and all, with their bounds: order, lease, preempt and gate.
package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fairbridge/api/server"
)

// findProblems checks how the daemon is to be asked.
func (a *API) findProblems() []error {
	all := []error{
		checkBetween("rate", a.Rate, 0.1, 10_000),
		checkBetween("burst", a.Burst, 1, 100_000),
		a.checkSocket(), a.checkListen(), a.checkURL(), a.checkProxy(), a.checkPrivate(),
	}
	if slices.Contains(a.Unmunge, "") {
		all = append(all, errors.New("unmunge: want a program and its arguments, such as [unmunge], or []"))
	}
	for _, name := range a.Operators {
		if len(name) > longestAccountName || !accountName.MatchString(name) {
			all = append(all, fmt.Errorf("operators: %q is neither a user nor a @group", name))
		}
	}
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

// accountName is a user's name, or a group's after @; directory services have some with dots,
// backslashes and letters of any language. Its length stands beside it: counted in the pattern
// it would cost every command 10 ms and 10 MB at its start.
var accountName = regexp.MustCompile(`^@?[\pL\pN_.][\pL\pN_.@$\\+-]*$`)

// longestAccountName is in bytes.
const longestAccountName = 256

func (a *API) checkSocket() error {
	const longest = 107 // of Linux
	if a.Socket == "" || a.Socket == "off" || filepath.IsAbs(a.Socket) && len(a.Socket) <= longest {
		return nil
	}
	return fmt.Errorf("socket: %q is neither off nor a whole path of at most %d bytes", a.Socket, longest)
}

func (a *API) checkListen() error {
	if err := checkListenAddress(a.Listen); err != nil {
		return err
	}
	switch {
	case a.Listen != "" && (a.CertFile == "" || a.KeyFile == ""):
		return errors.New("listen: it speaks TLS only: give cert_file and key_file")
	case a.Listen == "" && (a.CertFile != "" || a.KeyFile != "" || a.URL != ""):
		return errors.New("listen: not given; cert_file, key_file and url are of it")
	}
	return nil
}

func (a *API) checkURL() error {
	if a.URL == "" {
		return nil
	}
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("url: %q is not https:// with a host and a port", a.URL)
	}
	return nil
}

// headerName is what may be a header's name.
var headerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,99}$`)

func (a *API) checkProxy() error {
	name := http.CanonicalHeaderKey(a.ProxyHeader)
	switch {
	case (a.ProxyHeader == "") != (a.ProxySecretFile == ""):
		return errors.New("proxy_header and proxy_secret_file: give both or none")
	case a.ProxyHeader == "":
		return nil
	case a.Listen == "":
		return errors.New("proxy_header: a proxy asks over TLS: give listen")
	case !headerName.MatchString(name) || slices.Contains([]string{"Authorization", "Cookie", "Host", "Origin"}, name) || strings.HasPrefix(name, "X-Fairbridge-"):
		return fmt.Errorf("proxy_header: %q cannot name who asks; X-Remote-User could", a.ProxyHeader)
	}
	return nil
}

func (a *API) checkPrivate() error {
	for _, word := range a.Private {
		if err := checkOneOf("private", word, "jobs", "usage", "nodes", "none"); err != nil {
			return err
		}
	}
	if slices.Contains(a.Private, "none") && len(a.Private) > 1 {
		return errors.New("private: none stands alone")
	}
	return nil
}

// API says how users and operators ask the daemon, see package api.
type API struct {
	// Socket is a unix socket on the daemon's host, where the kernel says who asks. "": api.sock
	// in the folder that systemd made for the unit (RuntimeDirectory), if it did; "off": none.
	Socket string `yaml:"socket"`
	// Listen is host:port, for login nodes and browsers, over TLS only; "": nowhere.
	Listen   string `yaml:"listen"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// URL is how others reach Listen, in links that are handed out; "": https:// and Listen.
	URL string `yaml:"url"`
	// Unmunge is the command that tells from a munge credential whose it is; empty: none is accepted.
	Unmunge []string `yaml:"unmunge"`
	// ProxyHeader names who asks where a reverse proxy shows the secret in ProxySecretFile; "":
	// none is trusted.
	ProxyHeader     string `yaml:"proxy_header"`
	ProxySecretFile string `yaml:"proxy_secret_file"`
	// Operators are users, and @groups of the host, that are operators here beside those that
	// are in Slurm.
	Operators []string `yaml:"operators"`
	// Private is what only its owner sees: jobs, usage, nodes, or none; empty: as PrivateData of slurm.conf
	// and slurmdbd.conf say, and all of it while that of slurm.conf is not known.
	Private []string `yaml:"private"`
	// Rate is how many requests a second one user may send, Burst how many at once.
	Rate  float64 `yaml:"rate"`
	Burst int     `yaml:"burst"`
}

func newDefaultAPI() API {
	return API{Unmunge: []string{"unmunge"}, Rate: 10, Burst: 30}
}

// ServerLimits returns the bounds of the API's server.
func (a *API) ServerLimits() server.Limits {
	l := server.DefaultLimits()
	l.Rate, l.Burst = a.Rate, a.Burst
	return l
}

// SocketPath is where the API's unix socket is, "" for nowhere. It is the first folder that systemd
// made for the unit where the configuration does not say.
func (a *API) SocketPath() string {
	if a.Socket == "off" {
		return ""
	}
	if a.Socket != "" {
		return a.Socket
	}
	folder, _, _ := strings.Cut(os.Getenv("RUNTIME_DIRECTORY"), ":")
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "api.sock")
}
