package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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
