package study

import (
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// Scenario is what policies are tried on: jobs and the cluster they meet. It is
// only read while it is simulated.
type Scenario struct {
	Name        string
	Jobs        []workload.Job
	SpeedTables *workload.SpeedTables // speeds of jobs with Training; nil: none
	Nodes       []policy.Node
	Accounts    []policy.Account
	Remarks     []string    // what was left out, in sentences
	LimitSource LimitSource // where time limits come from

	WindowJobs    int     // jobs of the trace that it is a window of; 0: it is all of it
	History       History // of a window: what ended before it; RunOptions may name another
	ArrivalFactor float64 // by which times between arrivals were multiplied; 0: they were not
}

// NewScenario completes a scenario from what is given of it; its jobs are copied. Jobs
// that could never run on its nodes are an error, or with skip left out.
func NewScenario(given Scenario, skip bool) (*Scenario, error) {
	s := &given
	s.Jobs = slices.Clone(s.Jobs)
	return s, s.CompleteJobs(s.Name, skip)
}

// completeJobs leaves out or refuses jobs that could not run, and fills in what may
// be left open: the partition and time limit of jobs, and accounts without a weight.
func (s *Scenario) CompleteJobs(path string, skip bool) error {
	if err := s.dropUnrunnable(path, skip); err != nil {
		return err
	}
	weighted := map[string]bool{}
	s.Accounts = slices.Clone(s.Accounts)
	for _, a := range s.Accounts {
		weighted[a.Name] = true
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Partition = cluster.PartitionName
		if !weighted[j.Account] {
			weighted[j.Account] = true
			s.Accounts = append(s.Accounts, policy.Account{Name: j.Account, Weight: 1})
		}
	}
	slices.SortFunc(s.Accounts, func(a, b policy.Account) int { return strings.Compare(a.Name, b.Name) })
	s.fillTimeLimits()
	return nil
}

// CountGPUs is the size of the cluster.
func (s *Scenario) CountGPUs() int { return cluster.CountGPUs(s.Nodes) }
