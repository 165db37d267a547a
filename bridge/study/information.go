package study

import (
	"fmt"

	"fairbridge/bridge/study/workload"
)

// CountReportingJobs is how many jobs report their progress, by which a policy knows how
// long they really run.
func (s *Scenario) CountReportingJobs() int {
	n := 0
	for i := range s.Jobs {
		if !s.Jobs[i].IsSilent {
			n++
		}
	}
	return n
}

// CountReportingJobs is how many jobs of the first scenario report their progress to the
// policies: through Slurm none does.
func (e *Experiment) CountReportingJobs() int {
	if e.ThroughSlurm || len(e.Scenarios) == 0 {
		return 0
	}
	return e.Scenarios[0].CountReportingJobs()
}

// DescribeInformation says in a sentence what policies are told of the jobs. Figures of
// policies that know every length are not those of a cluster where nothing does.
func (e *Experiment) DescribeInformation() string {
	n, all := e.CountReportingJobs(), len(e.Scenarios[0].Jobs)
	switch {
	case n == 0:
		return "No job reports its progress: policies know what Slurm says of plain jobs."
	case n == all:
		return "All jobs report their progress: policies know how long each really runs."
	}
	return fmt.Sprintf("%d of %d jobs report their progress: policies know how long those really run.", n, all)
}

// JobReports says which jobs report their progress to the policies.
type JobReports string

// The choices there are.
const (
	// DefaultReports lets training jobs report whose speeds stand in throughput tables, and
	// jobs of a trace of ours or of Tiresias' simulator as it says. Jobs of clusters'
	// histories are plain batch jobs, which report nothing.
	DefaultReports JobReports = "auto"
	AllReport      JobReports = "all"
	NoneReports    JobReports = "none"
)

// JobReportsNames are the choices as a command line names them.
func JobReportsNames() []string {
	return []string{string(DefaultReports), string(AllReport), string(NoneReports)}
}

// SetReports lets jobs report, or not. plain says that jobs without throughput tables are
// plain batch jobs where nothing else is chosen.
func (r JobReports) SetReports(jobs []workload.Job, plain bool) {
	for i := range jobs {
		switch {
		case r == AllReport:
			jobs[i].IsSilent = false
		case r == NoneReports, plain && jobs[i].Training == nil:
			jobs[i].IsSilent = true
		}
	}
}

// IsPlainFormat reports whether a trace of the format is the history of a cluster, whose
// jobs tell no scheduler how far they are.
func IsPlainFormat(format string) bool { return format != "fairbridge" && format != "tiresias" }
