package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// jobCollector collects the jobs of a file and watches that they make sense.
type jobCollector struct {
	Trace
	path                 string
	options              ReadOptions
	lineByJobID          map[int64]int  // of the ids seen
	indexByHetJob        map[string]int // of the jobs that have components
	shiftsToFirstArrival bool           // the first arrival is the beginning; see shiftArrivalsToZero
}

func newJobCollector(path, format string, o ReadOptions) *jobCollector {
	if o.GPUsPerProc == 0 {
		o.GPUsPerProc = 1
	}
	return &jobCollector{
		Trace: Trace{Name: nameFromPath(path), Path: path, Format: format, IgnoredByReason: map[string]int{}},
		path:  path, options: o, lineByJobID: map[int64]int{},
	}
}

// unassignedID is the id of jobs that get one at the end.
const unassignedID = -1

// addJob takes a job. The error ends the reading.
func (s *jobCollector) addJob(j workload.Job, line int) error {
	j.Line = line
	replaceInvalidText(&j)
	if j.ID == 0 {
		j.ID = int64(line)
	}
	if err := checkJob(&j); err != nil {
		return s.rejectLine(line, err)
	}
	if j.ID == unassignedID || s.lineByJobID == nil {
		s.Jobs = append(s.Jobs, j)
		return nil
	}
	if first, twice := s.lineByJobID[j.ID]; twice {
		return s.rejectLine(line, newUnlocatedProblem("", "job %d stands already in line %d; give it another id or leave the line out", j.ID, first))
	}
	s.lineByJobID[j.ID] = line
	s.Jobs = append(s.Jobs, j)
	return nil
}

// addComponent takes a component of a heterogeneous job: all of them start together, as
// one job that has the GPUs of each. Without a het job it is addJob.
func (s *jobCollector) addComponent(j workload.Job, hetJob string, line int) error {
	at, again := s.indexByHetJob[hetJob]
	if hetJob == "" || !again {
		n := len(s.Jobs)
		err := s.addJob(j, line)
		if hetJob != "" && len(s.Jobs) > n {
			if s.indexByHetJob == nil {
				s.indexByHetJob = map[string]int{}
			}
			s.indexByHetJob[hetJob] = n
		}
		return err
	}
	if err := checkJob(&j); err != nil {
		return s.rejectLine(line, err)
	}
	all := s.Jobs[at]
	all.GPUs, all.CPUs, all.MemMB = all.GPUs+j.GPUs, all.CPUs+j.CPUs, all.MemMB+j.MemMB
	all.Duration = max(all.Duration, j.Duration)
	if all.GPUType != j.GPUType {
		all.GPUType = ""
	}
	if err := checkJob(&all); err != nil {
		return s.rejectLine(line, err)
	}
	s.Jobs[at] = all
	return nil
}

// replaceInvalidText replaces what is no text: our own format could not keep it.
func replaceInvalidText(j *workload.Job) {
	for _, s := range []*string{&j.Name, &j.User, &j.Account, &j.QOS, &j.Partition, &j.Class, &j.GPUType} {
		*s = strings.ToValidUTF8(*s, "?")
	}
	if j.Training != nil {
		j.Training.Model = strings.ToValidUTF8(j.Training.Model, "?")
	}
}

// countIgnored counts what is no job for us.
func (s *jobCollector) countIgnored(why string) { s.IgnoredByReason[why]++ }

// rejectLine says what is wrong with a line, or notes it where bad rows are skipped.
func (s *jobCollector) rejectLine(line int, err error) error {
	p := workload.Problem{File: s.path, Line: line, Message: err.Error()}
	var f *unlocatedProblem
	if errors.As(err, &f) {
		p.Column, p.Message = f.column, f.message
	}
	if !s.options.SkipBad {
		return p
	}
	s.SkippedCount++
	if len(s.FirstErrors) < maxKeptErrors {
		s.FirstErrors = append(s.FirstErrors, p)
	}
	return nil
}

// finishTrace returns the trace in order.
func (s *jobCollector) finishTrace() (*Trace, error) {
	if len(s.Jobs) == 0 {
		return nil, workload.Problem{File: s.path, Message: "no jobs in it" + s.describeIgnored()}
	}
	s.assignIDs()
	s.Jobs = sortByArrival(s.Jobs)
	if s.shiftsToFirstArrival {
		s.shiftArrivalsToZero()
	}
	if len(s.IgnoredByReason) == 0 {
		s.IgnoredByReason = nil
	}
	return &s.Trace, nil
}

// sortByArrival returns the jobs in the order in which they arrive. Each, which is large, is moved once.
func sortByArrival(jobs []workload.Job) []workload.Job {
	order := make([]*workload.Job, len(jobs))
	for i := range jobs {
		order[i] = &jobs[i]
	}
	slices.SortStableFunc(order, func(a, b *workload.Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	sorted := make([]workload.Job, len(jobs))
	for i, j := range order {
		sorted[i] = *j
	}
	return sorted
}

// minUnixTime is the least time that is believed to count from 1970: 2001.
const minUnixTime = 1e9

// shiftArrivalsToZero lets time count from the first arrival.
func (s *jobCollector) shiftArrivalsToZero() {
	first := s.Jobs[0].Arrive
	switch {
	case first >= minUnixTime:
		s.Start = time.UnixMilli(int64(first * 1000)).UTC()
	case !s.Start.IsZero():
		s.Start = s.Start.Add(time.Duration(first * float64(time.Second)))
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Arrive = roundToMicroseconds(j.Arrive - first)
		if j.Deadline > 0 {
			j.Deadline = roundToMicroseconds(j.Deadline - first)
		}
	}
}

// roundToMicroseconds takes away what subtracting large numbers adds.
func roundToMicroseconds(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }

// assignIDs gives jobs without an id one that no other has.
func (s *jobCollector) assignIDs() {
	next := int64(1)
	for id := range s.lineByJobID {
		next = max(next, id+1)
	}
	for i := range s.Jobs {
		if s.Jobs[i].ID == unassignedID {
			s.Jobs[i].ID = next
			next++
		}
	}
}

// describeIgnored says what was in a file that has no jobs.
func (s *jobCollector) describeIgnored() string {
	var what string
	for _, why := range s.IgnoredReasons() {
		what += fmt.Sprintf("; %d %s", s.IgnoredByReason[why], why)
	}
	if s.SkippedCount > 0 {
		what += fmt.Sprintf("; %d bad rows, the first: %v", s.SkippedCount, s.FirstErrors[0])
	}
	return what
}

// IgnoredReasons are the keys of IgnoredByReason in order.
func (t *Trace) IgnoredReasons() []string {
	var all []string
	for why := range t.IgnoredByReason {
		all = append(all, why)
	}
	slices.Sort(all)
	return all
}

// The largest numbers of seconds and GPUs that are believed.
const (
	maxBelievedSeconds = 100 * 366 * 86400
	maxBelievedGPUs    = 1 << 20
)

// checkJob says what is wrong with a job, whatever it was read from.
func checkJob(j *workload.Job) error {
	if err := checkRequest(j); err != nil {
		return err
	}
	for _, v := range []struct {
		what  string
		value float64
	}{
		{"arrival", j.Arrive}, {"duration", j.Duration}, {"deadline", j.Deadline}, {"weight", j.Weight}, {"checkpoint", j.RestartCostSeconds},
		{"time limit", j.TimeLimit.Seconds()},
	} {
		switch {
		case math.IsNaN(v.value) || v.value > maxBelievedSeconds:
			return newUnlocatedProblem(v.what, "%g is not believable", v.value)
		case v.value < 0:
			return newUnlocatedProblem(v.what, "%g is negative", v.value)
		}
	}
	if j.Deadline > 0 && j.Deadline <= j.Arrive {
		return newUnlocatedProblem("deadline", "%g is not after the arrival at %g", j.Deadline, j.Arrive)
	}
	if j.Training == nil && j.Duration == 0 {
		return newUnlocatedProblem("duration", "it is zero; leave out jobs that never ran")
	}
	if t := j.Training; t != nil && t.Steps <= 0 {
		return newUnlocatedProblem("total steps", "%d, want at least 1", t.Steps)
	}
	if err := checkSharing(j.Sharing); err != nil {
		return err
	}
	if err := workload.CheckCPUScaling(j.CPUScaling); err != nil {
		return newUnlocatedProblem("cpu_scaling", "%v", err)
	}
	return checkScaling(j.Scaling)
}

func checkRequest(j *workload.Job) error {
	switch {
	case j.ID <= 0 && j.ID != unassignedID:
		return newUnlocatedProblem("job id", "%d, want a positive number", j.ID)
	case j.GPUs <= 0:
		return newUnlocatedProblem("gpus", "%d, want at least 1", j.GPUs)
	case j.GPUs > maxBelievedGPUs:
		return newUnlocatedProblem("gpus", "%d is not believable", j.GPUs)
	case j.CPUs < 0 || j.MemMB < 0:
		return newUnlocatedProblem("cpus, memory", "negative")
	case j.MinGPUs < 0 || j.MaxGPUs < 0 || j.MaxGPUs > 0 && j.MinGPUs > j.MaxGPUs:
		return newUnlocatedProblem("gpus", "an elastic range from %d to %d makes no sense", j.MinGPUs, j.MaxGPUs)
	}
	return nil
}

// checkSharing says what makes no sense of what is known of a job beside neighbours.
func checkSharing(s *policy.Sharing) error {
	if s == nil {
		return nil
	}
	amounts := []float64{float64(s.JobsPerGPU), float64(s.MemMB), float64(s.KeptMemMB), s.Utilisation.Value, s.MemUtilisation.Value, s.StepSeconds}
	for _, v := range slices.Concat(amounts, s.StageSeconds) {
		if !(v >= 0) || v > maxBelievedSeconds {
			return newUnlocatedProblem("sharing", "%g makes no sense", v)
		}
	}
	return nil
}
