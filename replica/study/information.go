package study

import (
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/workload"
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

// HasTraining reports whether a job of the first scenario trains at speeds of throughput tables:
// others are plain batch jobs.
func (e *Experiment) HasTraining() bool {
	return slices.ContainsFunc(e.Scenarios[0].Jobs, func(j workload.Job) bool { return j.Training != nil })
}

// CountReportingJobs is how many jobs of the first scenario report their progress to the
// policies: through Slurm none does.
func (e *Experiment) CountReportingJobs() int {
	if e.ThroughSlurm || len(e.Scenarios) == 0 {
		return 0
	}
	return e.Scenarios[0].CountReportingJobs()
}

// RunTimeSource says from where policies know how long jobs run.
type RunTimeSource string

// The sources there are.
const (
	LearntRunTimes         RunTimeSource = "learnt"          // from the jobs that ended before, as live
	ReportedRunTimes       RunTimeSource = "reported"        // all jobs tell it themselves
	PartlyReportedRunTimes RunTimeSource = "partly-reported" // some do
	TrueRunTimes           RunTimeSource = "oracle"          // no live cluster could tell them
	NoRunTimes             RunTimeSource = "none"            // they know time limits only
)

// RunTimeSource says from where policies know how long the jobs of the first scenario run.
func (e *Experiment) RunTimeSource() RunTimeSource {
	switch n := e.CountReportingJobs(); {
	case e.KnowsTruth || e.Exact != nil && e.Exact.TellsTruth():
		return TrueRunTimes
	case n == 0 && e.PredictsNothing:
		return NoRunTimes
	case n == 0:
		return LearntRunTimes
	case n < len(e.Scenarios[0].Jobs):
		return PartlyReportedRunTimes
	}
	return ReportedRunTimes
}

// DescribeRunTimes says in a few words whether figures are those of policies that know
// every run time. They are not those of a cluster where none does.
func (e *Experiment) DescribeRunTimes() string {
	switch e.RunTimeSource() {
	case TrueRunTimes:
		return "ORACLE, true run times are known"
	case NoRunTimes:
		return "nothing is predicted, only time limits are known"
	case LearntRunTimes:
		return "as live, true run times are not known"
	case ReportedRunTimes:
		return "all jobs report their progress, true run times are known"
	}
	return fmt.Sprintf("%d of %d jobs report their progress, their true run times are known", e.CountReportingJobs(), len(e.Scenarios[0].Jobs))
}

// DescribeInformation says in sentences what policies are told of the jobs.
func (e *Experiment) DescribeInformation() string {
	said := ""
	switch e.RunTimeSource() {
	case TrueRunTimes:
		said = "Policies and backfill know how long each job really runs, as no live one does."
	case NoRunTimes:
		said = "Policies know nothing of how long jobs run but their time limits."
	case LearntRunTimes:
		said = "No job reports its progress: run times are learnt from the jobs that ended before."
	case PartlyReportedRunTimes:
		said = "Jobs that report their progress tell how long they run; of the others run times are learnt from those that ended before."
	case ReportedRunTimes:
		return "All jobs report their progress: policies know how long each really runs."
	}
	if limits := e.Scenarios[0].LimitSource.Describe(); limits != "" {
		said += " " + limits
	}
	return said + e.describeSizes()
}

// describeSizes says which jobs leave their number of GPUs to us, and whether that counts.
func (e *Experiment) describeSizes() string {
	n := 0
	for i := range e.Scenarios[0].Jobs {
		if e.Scenarios[0].Jobs[i].MaxGPUs > 0 {
			n++
		}
	}
	if n == 0 || !e.ThroughSlurm {
		return ""
	}
	text := fmt.Sprintf(" %d of %s declare a range of GPUs", n, policy.FormatCount(len(e.Scenarios[0].Jobs), "job"))
	if e.Mode != bridge.ModeElastic {
		return text + ", which counts in mode elastic only."
	}
	return text + "."
}

// JobReports says which jobs report their progress to the policies.
type JobReports string

// The choices there are.
const (
	// DefaultReports lets training jobs report whose speeds stand in throughput tables,
	// unless the trace says that they are silent. All others are plain batch jobs, which
	// report nothing.
	DefaultReports JobReports = "auto"
	AllReport      JobReports = "all"
	NoneReports    JobReports = "none"
)

// JobReportsNames are the choices as a command line names them.
func JobReportsNames() []string {
	return []string{string(DefaultReports), string(AllReport), string(NoneReports)}
}

// SetReports lets jobs report, or not.
func (r JobReports) SetReports(jobs []workload.Job) {
	for i := range jobs {
		switch {
		case r == AllReport:
			jobs[i].IsSilent = false
		case r == NoneReports, jobs[i].Training == nil && jobs[i].Goodput == nil:
			jobs[i].IsSilent = true
		}
	}
}
