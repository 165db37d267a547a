package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Submission is what jobs would meet if they were submitted at the moment of a snapshot.
type Submission struct {
	Snapshot    *policy.Snapshot
	Policy      policy.Policy         // whose plan is the line
	Calibration *estimate.Calibration // of the bands
	// PredictTimeLeft predicts a run time, and its standard error, from history; nil: nothing was
	// learnt.
	PredictTimeLeft func(*policy.Job) (left, sigma time.Duration)
}

// JobStart is when a job would start and end.
type JobStart struct {
	Job   policy.Job    `json:"job"`
	Start estimate.Band `json:"start"`
	End   estimate.Band `json:"end"`
	// IsBeyondHorizon: in half of the cases it does not start within estimate.Horizon; when it
	// would is not known.
	IsBeyondHorizon bool `json:"beyond_horizon,omitempty"`
	// Chances are how likely it is done by which time; nil in an answer that was read.
	Chances *estimate.Chances `json:"-"`
}

// A line of so many jobs is laid out as often as any other; the times go down with its length to the
// least, since who waits behind thousands waits for an answer too.
const (
	fullyDrawnJobs = 3000
	minDrawCount   = 6
)

func drawCountFor(lineLength int) int {
	return max(min(estimate.DefaultDrawCount, estimate.DefaultDrawCount*fullyDrawnJobs/max(lineLength, 1)), minDrawCount)
}

// snapshotWith returns the snapshot with the jobs, of one account, as if they were just submitted, and
// completes them.
func (q *Submission) snapshotWith(jobs ...*policy.Job) *policy.Snapshot {
	s := *q.Snapshot
	s.OmitReasons, s.Jobs = true, slices.Clone(s.Jobs)
	for _, j := range jobs {
		j.ID = 1
		if n := len(s.Jobs); n > 0 {
			j.ID = s.Jobs[n-1].ID + 1
		}
		j.State, j.Submit, j.Arrive = policy.Pending, s.Now, s.Now
		if q.PredictTimeLeft != nil {
			j.PredictedLeft, j.PredictedSigma = q.PredictTimeLeft(j)
		}
		s.Jobs = append(s.Jobs, *j)
	}
	if name := jobs[0].Account; s.Account(name) == nil {
		s.Accounts = append(slices.Clone(s.Accounts), policy.Account{Name: name, Weight: 1})
		slices.SortFunc(s.Accounts, func(x, y policy.Account) int { return cmp.Compare(x.Name, y.Name) })
	}
	return &s
}

// decide asks the policy; its panic is an error.
func decide(p policy.Policy, s *policy.Snapshot) (plan *policy.Plan, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the policy panicked: %v", v)
		}
	}()
	plan, err = p.Decide(s)
	if err == nil && plan == nil {
		err = errors.New("the policy made no plan")
	}
	return plan, err
}

// A smaller request is worth saying if its job waits at most this part of the other's wait, and
// starts at least so much sooner.
const (
	maxWaitPart = .75
	minGain     = 10 * time.Minute
)

func (e *JobStart) isMateriallySooner(than *JobStart, now time.Time) bool {
	wait, other := e.Start.Middle.Sub(now), than.Start.Middle.Sub(now)
	return other-wait >= minGain && float64(wait) <= maxWaitPart*float64(other)
}

// requestsWithLessRoom returns the job on one node fewer and with half the GPUs, the larger first.
func requestsWithLessRoom(j *policy.Job) []policy.Job {
	var list []policy.Job
	counts := []int{j.Ask.GPUs.Count / 2}
	if n := j.Ask.MinNodes; n > 1 && j.Ask.PerNode > 0 {
		counts = append(counts, (n-1)*j.Ask.PerNode)
	}
	slices.Sort(counts)
	for _, n := range slices.Backward(slices.Compact(counts)) {
		t := *j
		if n > 0 && shrinkAsk(&t.Ask, n) {
			t.Ask.MaxNodes = min(t.Ask.MaxNodes, max(t.Ask.MinNodes, 1))
			list = append(list, t)
		}
	}
	return list
}

// requestsWithLessTime returns the job with half and a quarter of its time limit, in whole minutes.
func requestsWithLessTime(j *policy.Job) []policy.Job {
	var list []policy.Job
	for _, part := range []time.Duration{2, 4} {
		t := *j
		if t.Limit = (j.Limit / part).Truncate(time.Minute); t.Limit > 0 {
			list = append(list, t)
		}
	}
	return list
}

// NewRequest returns a job for a partition that asks for GPUs of a type ("": any) for at most a time,
// over so many nodes (0: any), evenly where that goes. One core is assumed for each GPU.
func NewRequest(s *policy.Snapshot, partition string, gpus policy.GPUs, nodes int, limit time.Duration) policy.Job {
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if d.Type == gpus.Type && !d.IsWholeGPU() {
				gpus.PartPercent = d.PartPercent
			}
		}
	}
	ask := policy.Ask{GPUs: gpus, MinNodes: max(nodes, 1), MaxNodes: nodes, CPUs: max(gpus.Count, nodes)}
	if nodes > 0 && gpus.Count%nodes == 0 {
		ask.PerNode = gpus.Count / nodes
	}
	return policy.Job{Partition: partition, Limit: limit, Ask: ask}
}

// CheckRequest says what a partition lacks to hold a job even if it were empty.
func CheckRequest(s *policy.Snapshot, j *policy.Job) error {
	countByType, nodeCount, total := map[string]int{}, 0, 0
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.InPartition(j.Partition) {
			nodeCount++
			for _, d := range n.GPUs {
				countByType[d.Type] += d.Count
				if j.Ask.GPUs.Type == d.Type || j.Ask.GPUs.Type == "" && d.IsWholeGPU() {
					total += d.Count
				}
			}
		}
	}
	has := gpusText(countByType)
	switch {
	case total == 0:
		return fmt.Errorf("partition %s has no %s: it has %s", j.Partition, typeText(j.Ask.GPUs.Type), has)
	case j.Ask.GPUs.Count > total:
		return fmt.Errorf("partition %s has not %s: it has %s", j.Partition, j.Ask.GPUs, has)
	case j.Ask.MinNodes > nodeCount:
		return fmt.Errorf("partition %s has not %d nodes with GPUs: it has %d", j.Partition, j.Ask.MinNodes, nodeCount)
	case j.Ask.MinNodes > j.Ask.GPUs.Count:
		return fmt.Errorf("%s are not enough for %d nodes: each needs one", j.Ask.GPUs, j.Ask.MinNodes)
	}
	if _, err := pool.Fit(pool.NewEmpty(s.Nodes, time.Time{}), j.Partition, j.AskWithLimit()); err != nil {
		return fmt.Errorf("partition %s, with the nodes that are up, has no room for %s even if it were empty: %w", j.Partition, j.Ask.Describe(), err)
	}
	return nil
}

func typeText(gpuType string) string {
	if gpuType == "" {
		return "GPUs"
	}
	return "GPUs of type " + gpuType
}

// gpusText lists what there is by type: "16 a100, 4 h100".
func gpusText(countByType map[string]int) string {
	var list []string
	for t, n := range countByType {
		list = append(list, policy.GPUs{Type: t, Count: n}.String())
	}
	slices.Sort(list)
	if len(list) == 0 {
		return "no node with GPUs"
	}
	return strings.Join(list, ", ")
}

// WithoutJob returns a snapshot without a job; 0: as it is.
func WithoutJob(s *policy.Snapshot, id policy.JobID) *policy.Snapshot {
	if id == 0 {
		return s
	}
	rest := *s
	rest.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(j policy.Job) bool { return j.ID == id })
	return &rest
}

// Effort says how exactly the time to come is laid out; the zero value: as exactly as ever.
type Effort struct {
	DrawCount int     // how often; 0: as often as the length of the line allows
	StepShare float64 // see estimate.Input; 0: as ever
}

// EstimateTogether returns when a job would start and end if it were submitted (its id, state, times and prediction are
// set here; errors are the policy's), and when smaller and shorter requests of it would start, as far as that is
// materially sooner than it would itself: with half the GPUs, on one node fewer, with half and a quarter of the time
// limit. One that asks for less than another of its kind is there only if it starts materially sooner than that
// one. All are of one plan and one layout of the time to come, since somebody waits for the answer: the smaller
// requests stand in the same line, and none of them takes room from another.
func (q *Submission) EstimateTogether(j policy.Job, how Effort) (as JobStart, sooner []JobStart, err error) {
	kinds := [][]policy.Job{q.possibleRequests(requestsWithLessRoom(&j)), q.possibleRequests(requestsWithLessTime(&j))}
	jobs := []*policy.Job{&j}
	for _, kind := range kinds {
		for i := range kind {
			jobs = append(jobs, &kind[i])
		}
	}
	startByJob, err := q.estimateJobs(jobs, how)
	if err != nil {
		return JobStart{}, nil, err
	}
	as = startByJob[j.ID]
	for _, kind := range kinds {
		best := as
		for i := range kind {
			if e := startByJob[kind[i].ID]; e.isMateriallySooner(&best, q.Snapshot.Now) {
				sooner, best = append(sooner, e), e
			}
		}
	}
	return as, sooner, nil
}

// possibleRequests are those that the partition could hold.
func (q *Submission) possibleRequests(list []policy.Job) (possible []policy.Job) {
	for i := range list {
		if CheckRequest(q.Snapshot, &list[i]) == nil {
			possible = append(possible, list[i])
		}
	}
	return possible
}

// estimateJobs returns when the first of the jobs would start, and the others in its stead.
func (q *Submission) estimateJobs(jobs []*policy.Job, how Effort) (map[policy.JobID]JobStart, error) {
	s := q.snapshotWith(jobs...)
	plan, err := decide(q.Policy, s)
	if err != nil {
		return nil, fmt.Errorf("planning with one job more: %w", err)
	}
	in := estimate.Input{Snapshot: s, Line: estimate.LineOfPlan(plan), Sizes: estimate.SizesOfPlan(s, plan), Only: jobs[0].ID, DrawCount: how.DrawCount, StepShare: how.StepShare}
	if how.DrawCount == 0 {
		in.DrawCount = drawCountFor(len(in.Line))
	}
	for _, j := range jobs[1:] {
		in.Smaller = append(in.Smaller, j.ID)
	}
	startByJob, runTimes := map[policy.JobID]JobStart{}, estimate.NewRunTimes(s)
	for _, raw := range estimate.EstimateJobs(in) {
		e := q.Calibration.Calibrate(s.Now, raw)
		startByJob[raw.Job] = JobStart{Job: *s.Job(raw.Job), Start: e.Start, End: e.End, IsBeyondHorizon: raw.Start.Middle.Sub(s.Now) >= estimate.Horizon,
			Chances: q.Calibration.Chances(s.Now, e.End, runTimes(s.Job(raw.Job)))}
	}
	if len(startByJob) != len(jobs) {
		return nil, errors.New("planning with one job more: the policy has no place in line for it")
	}
	return startByJob, nil
}
