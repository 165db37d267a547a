package whatif

import (
	"errors"
	"fmt"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

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
