package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
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
