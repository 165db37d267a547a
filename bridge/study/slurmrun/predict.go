package slurmrun

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim/memstore"
	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// predictingHistory is a store that also predicts run times.
type predictingHistory struct {
	*memstore.Store
	predictTimeLeft func(*policy.Job) (left, sigma time.Duration)
	predictionTrust func() float64
}

// Past implements bridge.History.
func (h predictingHistory) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	past, err := h.Store.Past(ctx, cluster, now)
	if err == nil {
		past.PredictTimeLeft, past.PredictionTrust = h.predictTimeLeft, h.predictionTrust()
	}
	return past, err
}

// newHistory is what the loop knows of the past.
func (r *runner) newHistory() bridge.History {
	switch {
	case r.PredictsTruth:
		return predictingHistory{r.store, func(j *policy.Job) (left, sigma time.Duration) {
			return max(r.world.TrueTimeLeft(int64(j.ID)), time.Second), 0
		}, func() float64 { return 1 }}
	case r.RunTimes != nil:
		return predictingHistory{r.store, func(j *policy.Job) (left, sigma time.Duration) {
			return r.RunTimes.PredictTimeLeft(r.world.Now(), j)
		}, func() float64 { return r.RunTimes.PredictionTrust(r.world.Now()) }}
	}
	return r.store
}

// runTimeTeacher is what the predictor was told of.
type runTimeTeacher struct {
	seenRunCount int                     // ended runs that were looked at
	ranByJob     map[int64]time.Duration // in runs that were not the last, by Slurm's id
}

// teachRunTimes tells the predictor of the jobs that ended since it last did.
func (r *runner) teachRunTimes() {
	t := &r.runTimeTeacher
	if r.RunTimes == nil {
		return
	}
	runs := r.world.EndedRuns()
	for i := range runs[t.seenRunCount:] {
		s := &runs[t.seenRunCount+i]
		ran := t.ranByJob[s.JobID] + s.End.Sub(s.Start)
		if s.EndState == "REQUEUED" || s.EndState == "NODE_FAIL" {
			t.ranByJob[s.JobID] = ran
			continue
		}
		delete(t.ranByJob, s.JobID)
		j := &r.jobs[r.jobIndexes.findEnded(s)]
		r.RunTimes.AddEndedRun(learn.Run{
			Job:   learn.Job{User: s.User, Account: s.Account, Name: s.Name, GPUType: s.GPUType, GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: s.Start, End: s.End, Ran: ran,
		})
	}
	t.seenRunCount = len(runs)
}
