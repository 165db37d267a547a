package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// maxWindowHistory is how many jobs before a window teach: more add little to what the last ones say.
const maxWindowHistory = 2000

// TakeWindow returns the scenario with only so many jobs that arrived one after the other. The
// seed says where in the workload the window begins, and is the same place for every policy.
// Time counts from the first of them. What ended before is its history.
func (s *Scenario) TakeWindow(jobCount int, seed int64) (*Scenario, error) {
	if jobCount <= 0 || jobCount > len(s.Jobs) {
		return nil, fmt.Errorf("a window of %s: %s has %d that can run on %s: take a smaller one", policy.FormatCount(jobCount, "job"), s.Name, len(s.Jobs), policy.FormatCount(s.CountGPUs(), "GPU"))
	}
	return s.WindowAt(int(drawUniform(seed, "window", 0)*float64(len(s.Jobs)-jobCount+1)), jobCount)
}

// WindowAt returns the scenario with only so many jobs from the one at a place, from 0. Time counts from the first of
// them. What ended before is its history.
func (s *Scenario) WindowAt(first, jobCount int) (*Scenario, error) {
	if first < 0 || jobCount <= 0 || first+jobCount > len(s.Jobs) {
		return nil, fmt.Errorf("%s from place %d: %s has %d", policy.FormatCount(jobCount, "job"), first, s.Name, len(s.Jobs))
	}
	w := *s
	w.WindowJobs = jobCount
	w.Jobs = slices.Clone(s.Jobs[first : first+jobCount])
	begin := w.Jobs[0].Arrive
	w.History = historyOf(s.Jobs[max(0, first-maxWindowHistory):first], begin, s.firstGPUType())
	for i := range w.Jobs {
		setArrival(&w.Jobs[i], w.Jobs[i].Arrive-begin)
	}
	return &w, nil
}

// historyOf is what those of the jobs leave to learn from that would have ended by then, started when
// they arrived: a trace that is read for its jobs does not say when they really did.
// Jobs that ask for no type of GPU ran on the given one.
func historyOf(jobs []workload.Job, until float64, gpuType string) History {
	h := History{Until: workload.CalendarTimeAt(until)}
	for i := range jobs {
		j := &jobs[i]
		end := j.Arrive + j.Duration
		if j.Training != nil || !(j.Duration > 0) || end > until {
			continue
		}
		h.Runs = append(h.Runs, learn.Run{
			Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: cmp.Or(j.GPUType, gpuType), GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: workload.CalendarTimeAt(j.Arrive), End: workload.CalendarTimeAt(end), Ran: policy.DurationFromSeconds(j.Duration),
		})
	}
	slices.SortStableFunc(h.Runs, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	return h
}

// firstGPUType is the type of the first GPUs there are; "": there are none.
func (s *Scenario) firstGPUType() string {
	for i := range s.Nodes {
		if all := s.Nodes[i].GPUs; len(all) > 0 {
			return all[0].Type
		}
	}
	return ""
}

// ScaleToLoad returns the scenario with all times between arrivals longer or shorter by one
// factor, so that its jobs ask for such a part of the GPU time between the first arrival and
// the last.
func (s *Scenario) ScaleToLoad(load float64) (*Scenario, error) {
	work, first, span := s.demand(0, len(s.Jobs))
	if !(work > 0) || !(span > 0) || !(load > 0) {
		return nil, fmt.Errorf("scaling the arrivals of %s to load %g: its %s all arrive at once, or run for no time",
			s.Name, load, policy.FormatCount(len(s.Jobs), "job"))
	}
	w := *s
	w.ArrivalFactor = work / (load * float64(s.CountGPUs()) * span)
	w.Jobs = slices.Clone(s.Jobs)
	for i := range w.Jobs {
		setArrival(&w.Jobs[i], first+(w.Jobs[i].Arrive-first)*w.ArrivalFactor)
	}
	return &w, nil
}

// OfferedLoad returns the GPU time that the jobs from one place to before another ask for, as a part of the GPU time
// there is between the first arrival of them and the last; not finite where all arrive at once.
func (s *Scenario) OfferedLoad(from, to int) float64 {
	work, _, span := s.demand(from, to)
	return work / (float64(s.CountGPUs()) * span)
}

// demand returns the GPU time that the jobs from one place to before another ask for, when the first of them arrives,
// and how long after it the last.
func (s *Scenario) demand(from, to int) (work, first, span float64) {
	last := 0.0
	for i := from; i < to; i++ {
		j := &s.Jobs[i]
		if i == from {
			first, last = j.Arrive, j.Arrive
		}
		work, first, last = work+float64(j.GPUs)*j.Duration, min(first, j.Arrive), max(last, j.Arrive)
	}
	return work, first, last - first
}

// setArrival moves a job in time, and its deadline with it.
func setArrival(j *workload.Job, at float64) {
	if j.Deadline > 0 {
		j.Deadline += at - j.Arrive
	}
	j.Arrive = at
}

// DescribeChanges says in a few words how the jobs of the first scenario are others than the trace
// has them: "each seed another window of the trace, ARRIVALS SCALED to the load …"; "" where they
// are not.
func (e *Experiment) DescribeChanges() string {
	s, text := e.Scenarios[0], ""
	if s.WindowJobs > 0 {
		text = "each seed another window of the trace"
	}
	if s.ArrivalFactor > 0 {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("ARRIVALS SCALED to the load (times between them × %.3g)", s.ArrivalFactor)
	}
	return text
}

// LimitSource says where the time limits of a scenario's plain jobs come from.
type LimitSource string

// The sources there are.
const (
	NoLimits        LimitSource = "none"      // no job is a plain one
	AskedLimits     LimitSource = "asked"     // all as their owners asked
	PartitionLimits LimitSource = "partition" // as asked, those without have the partition's
	DrawnLimits     LimitSource = "drawn"     // none is known: over-asked as in drawn days
)

// Describe says it in a sentence.
func (l LimitSource) Describe() string {
	switch l {
	case AskedLimits:
		return "Time limits are those that were asked for."
	case PartitionLimits:
		return "Time limits are those that were asked for; a job without one has the partition's, the greatest there is."
	case DrawnLimits:
		return "The jobs have no time limits of their own: four of ten have the partition's, the others a multiple of their run time (4 in the median), as in drawn days."
	}
	return ""
}

// fillTimeLimits gives every plain job the time limit that a live one has: Slurm knows
// no job without. The partition's allows the longest run, in whole days.
func (s *Scenario) fillTimeLimits() {
	var plain []*workload.Job
	longest, asked, missing := time.Duration(0), time.Duration(0), 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Training != nil || j.Goodput != nil {
			continue
		}
		plain = append(plain, j)
		longest, asked = max(longest, policy.DurationFromSeconds(longestSeconds(j))), max(asked, j.TimeLimit)
		if j.TimeLimit <= 0 {
			missing++
		}
	}
	const day = 24 * time.Hour
	greatest := max(asked, (longest + day - 1).Truncate(day))
	switch {
	case len(plain) == 0:
		s.LimitSource = NoLimits
	case missing == 0:
		s.LimitSource = AskedLimits
	case missing < len(plain):
		s.LimitSource = PartitionLimits
	default:
		s.LimitSource = DrawnLimits
	}
	for _, j := range plain {
		switch {
		case j.TimeLimit > 0:
		case s.LimitSource == DrawnLimits:
			j.TimeLimit = workload.TimeLimitOfJob(j.ID, longestSeconds(j), greatest)
		default:
			j.TimeLimit = greatest
		}
	}
}

// longestSeconds is how long a plain job runs on the slowest GPUs it can use.
func longestSeconds(j *workload.Job) float64 {
	slowest := 1.0
	for _, v := range j.Speeds {
		if v > 0 {
			slowest = min(slowest, v)
		}
	}
	return j.Duration / slowest
}

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
