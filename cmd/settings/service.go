package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Service is what an account is granted for its inference services, for the one of a name or for all others.
type Service struct {
	Account string `yaml:"account"`
	Name    string `yaml:"name"` // "": any that has no entry of its own
	Least   int    `yaml:"least"`
	Most    int    `yaml:"most"` // 0: as many as there are jobs
	Spare   int    `yaml:"spare"`
	// Within is the time in which Percent of the requests are to be answered; 0: replicas are scaled by how busy they are.
	Within      time.Duration `yaml:"within"`
	Percent     float64       `yaml:"percent"`
	RequestTime time.Duration `yaml:"request_time"` // that a request takes on a replica, in the mean
	Setup       time.Duration `yaml:"setup"`        // from a start until it answers
}

// defaultPercent is how many of the requests are to be answered in time where that is not said.
const defaultPercent = 99

func (s *Service) findProblems() []error {
	var all []error
	if s.Account == "" {
		all = append(all, errors.New("account: not given; it is the account whose jobs may declare the service"))
	}
	if s.RequestTime == 0 {
		all = append(all, errors.New("request_time: not given; it is the time that a request takes on a replica, in the mean, such as 80ms"))
	}
	if s.Most != 0 && s.Most < s.Least {
		all = append(all, fmt.Errorf("most: %d is less than least, %d", s.Most, s.Least))
	}
	for _, err := range []error{
		checkBetween("least", s.Least, 1, 10_000), checkBetween("most", s.Most, 0, 10_000), checkBetween("spare", s.Spare, 0, 10_000),
		checkBetween("within", s.Within, 0, time.Hour), checkBetween("percent", cmp.Or(s.Percent, defaultPercent), 1, 99.999),
		checkBetween("request_time", s.RequestTime, 0, time.Hour), checkBetween("setup", s.Setup, 0, 24*time.Hour),
	} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// findServiceProblems checks the services of a partition.
func (p *Partition) findServiceProblems() (all []error) {
	seen := map[[2]string]bool{}
	for i, s := range p.Services {
		problems := s.findProblems()
		if key := [2]string{s.Account, s.Name}; seen[key] {
			problems = append(problems, fmt.Errorf("name: account %q has an entry for %q already", s.Account, s.Name))
		} else {
			seen[key] = true
		}
		for _, err := range problems {
			all = append(all, fmt.Errorf("services[%d].%w", i, err))
		}
	}
	return all
}

// newServices returns the services, those of a name before those of any.
func (p *Partition) newServices() []bridge.Service {
	var out []bridge.Service
	for _, s := range p.Services {
		out = append(out, bridge.Service{Account: s.Account, Name: s.Name, Terms: policy.ReplicaScaling{
			Least: s.Least, Most: s.Most, Spare: s.Spare, ResponseWithin: s.Within, ResponsePart: cmp.Or(s.Percent, defaultPercent) / 100,
			ServiceTime: s.RequestTime, SetupTime: s.Setup,
		}})
	}
	slices.SortStableFunc(out, func(a, b bridge.Service) int { return cmp.Compare(b.Name, a.Name) })
	return out
}

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
