package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
