package slurmrun

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/sim/memstore"
)

// knowingHistory is a store that also predicts run times, and knows what jobs reported of their speed.
type knowingHistory struct {
	*memstore.Store
	predictTimeLeft func(*policy.Job) (left, sigma time.Duration) // nil: nothing is predicted
	predictionTrust func() float64
	speeds          *speedReports // nil: no job reports its speed
}

// Past implements bridge.History.
func (h knowingHistory) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	past, err := h.Store.Past(ctx, cluster, now)
	if err == nil && h.predictTimeLeft != nil {
		past.PredictTimeLeft, past.PredictionTrust = h.predictTimeLeft, h.predictionTrust()
	}
	if err == nil && h.speeds != nil {
		past.SpeedsOf = h.speeds.speedsOf
	}
	return past, err
}

// newHistory is what the loop knows of the past.
func (r *runner) newHistory() bridge.History {
	h := knowingHistory{Store: r.store, speeds: r.speedReports}
	switch {
	case r.PredictsTruth:
		h.predictTimeLeft = func(j *policy.Job) (left, sigma time.Duration) {
			return max(r.world.TrueTimeLeft(int64(j.ID)), time.Second), 0
		}
		h.predictionTrust = func() float64 { return 1 }
	case r.RunTimes != nil:
		h.predictTimeLeft = func(j *policy.Job) (left, sigma time.Duration) {
			return r.RunTimes.ForecastAt(r.world.Now()).PredictTimeLeft(j)
		}
		h.predictionTrust = func() float64 { return r.RunTimes.ForecastAt(r.world.Now()).PredictionTrust() }
	}
	return h
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
