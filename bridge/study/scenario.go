package study

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/trace"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
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

// ScenarioSource says from which files a scenario is read.
type ScenarioSource struct {
	TracePath    string // with the jobs
	TraceOptions trace.ReadOptions
	TablesPath   string // of throughput; "": none
	Nodes        []policy.Node
	Reports      JobReports // which jobs report to the policies; "": DefaultReports
}

// LoadScenario reads a scenario and makes sure that every job could run; with
// ReadOptions.SkipBad those that could not are left out. Errors name the line, or
// the entry the tables lack.
func LoadScenario(from ScenarioSource) (*Scenario, error) {
	var err error
	s := &Scenario{Nodes: from.Nodes}
	if from.TablesPath != "" {
		if s.SpeedTables, err = workload.ReadSpeedTables(from.TablesPath); err != nil {
			return nil, err
		}
		from.TraceOptions.KeepsSteps = s.SpeedTables.TellsSizes()
	}
	t, err := trace.ReadFile(from.TracePath, from.TraceOptions)
	if err != nil {
		return nil, err
	}
	s.Name, s.Jobs, s.Accounts = t.Name, t.Jobs, t.Accounts
	for _, why := range t.IgnoredReasons() {
		s.Remarks = append(s.Remarks, fmt.Sprintf("passed over, %s: %s", policy.FormatCount(t.IgnoredByReason[why], "row"), why))
	}
	if t.SkippedCount > 0 {
		s.Remarks = append(s.Remarks, fmt.Sprintf("%d bad rows are skipped, the first: %v", t.SkippedCount, t.FirstErrors[0]))
	}
	for i := range s.Jobs {
		s.SpeedTables.LetResize(&s.Jobs[i])
	}
	from.Reports.SetReports(s.Jobs)
	return s, s.completeJobs(from.TracePath, from.TraceOptions.SkipBad)
}

// GenerateScenario makes up a scenario of the kind for the nodes.
func GenerateScenario(kind string, o generate.WorkloadOptions, seed int64, nodes []policy.Node) (*Scenario, error) {
	if err := generate.CheckOptionsUsed(kind, o); err != nil {
		return nil, err
	}
	o.ClusterGPUs = cluster.CountGPUs(nodes)
	made, err := generate.DrawWorkload(kind, o, seed)
	if err != nil {
		return nil, err
	}
	s, err := NewScenario(Scenario{Name: kind, Jobs: made.Jobs, SpeedTables: generate.NewSpeedTables(), Accounts: made.Accounts, Nodes: nodes}, false)
	if err != nil && generate.HasTraining(kind) {
		err = fmt.Errorf("%w; drawn training jobs have speeds on GPUs of the types %s: write --cluster like 8x4:%s", err, strings.Join(generate.GPUTypes(), ", "), generate.GPUTypes()[0])
	}
	return s, err
}

// NewScenario completes a scenario from what is given of it; its jobs are copied. Jobs
// that could never run on its nodes are an error, or with skip left out.
func NewScenario(given Scenario, skip bool) (*Scenario, error) {
	s := &given
	s.Jobs = slices.Clone(s.Jobs)
	return s, s.completeJobs(s.Name, skip)
}

// completeJobs leaves out or refuses jobs that could not run, and fills in what may
// be left open: the partition and time limit of jobs, and accounts without a weight.
func (s *Scenario) completeJobs(path string, skip bool) error {
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
