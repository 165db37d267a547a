package experiment

import (
	"fmt"
	"strings"

	"fairbridge/lab/generate"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// ScenarioSource says from which files a scenario is read.
type ScenarioSource struct {
	TracePath    string // with the jobs
	TraceOptions trace.ReadOptions
	TablesPath   string // of throughput; "": none
	Nodes        []policy.Node
	Reports      study.JobReports // which jobs report to the policies; "": study.DefaultReports
}

// LoadScenario reads a scenario and makes sure that every job could run; with
// ReadOptions.SkipBad those that could not are left out. Errors name the line, or
// the entry the tables lack.
func LoadScenario(from ScenarioSource) (*study.Scenario, error) {
	var err error
	s := &study.Scenario{Nodes: from.Nodes}
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
		s.Remarks = append(
			s.Remarks,
			fmt.Sprintf("passed over, %s: %s", policy.FormatCount(t.IgnoredByReason[why], "row"), why),
		)
	}
	if t.SkippedCount > 0 {
		s.Remarks = append(
			s.Remarks,
			fmt.Sprintf("%d bad rows are skipped, the first: %v", t.SkippedCount, t.FirstErrors[0]),
		)
	}
	for i := range s.Jobs {
		s.SpeedTables.LetResize(&s.Jobs[i])
	}
	from.Reports.SetReports(s.Jobs)
	return s, s.CompleteJobs(from.TracePath, from.TraceOptions.SkipBad)
}

// GenerateScenario makes up a scenario of the kind for the nodes.
func GenerateScenario(
	kind string,
	o generate.WorkloadOptions,
	seed int64,
	nodes []policy.Node,
) (*study.Scenario, error) {
	if err := generate.CheckOptionsUsed(kind, o); err != nil {
		return nil, err
	}
	o.ClusterGPUs = cluster.CountGPUs(nodes)
	made, err := generate.DrawWorkload(kind, o, seed)
	if err != nil {
		return nil, err
	}
	s, err := study.NewScenario(
		study.Scenario{
			Name:        kind,
			Jobs:        made.Jobs,
			SpeedTables: generate.NewSpeedTables(),
			Accounts:    made.Accounts,
			Nodes:       nodes,
		},
		false,
	)
	if err != nil && generate.HasTraining(kind) {
		err = fmt.Errorf(
			"%w; drawn training jobs have speeds on GPUs of the types %s: write --cluster like 8x4:%s",
			err,
			strings.Join(generate.GPUTypes(), ", "),
			generate.GPUTypes()[0],
		)
	}
	return s, err
}
