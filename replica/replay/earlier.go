package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/study"
)

// learnedHistory is how far back the daemon learns run times from (accounting/predictions).
const learnedHistory = 180 * 24 * time.Hour

// readHistory reads what had ended on the partition when the period began: the daemon has
// learnt from it, so the simulated one has.
func (p *Period) readHistory(ctx context.Context, from RunsRecord) (study.History, error) {
	runs, err := from.PastRuns(ctx, p.Cluster, p.Partition, p.Since.Add(-learnedHistory), p.Since)
	return study.History{Runs: endedJobs(runs, p.Since), Until: p.Since}, err
}

// endedJobs are the jobs of the runs that had ended by themselves or by their limit until then.
// Runs of a job lie together.
func endedJobs(runs []bridge.PastRun, until time.Time) []learn.Run {
	var ended []learn.Run
	for from := 0; from < len(runs); {
		to, ran := from, time.Duration(0)
		for to < len(runs) && runs[to].Job == runs[from].Job && runs[to].Arrive.Equal(runs[from].Arrive) {
			ran += policy.DurationFromSeconds(runs[to].End.Sub(runs[to].Start).Seconds() * paceOf(&runs[to], nil))
			to++
		}
		first, last := &runs[from], &runs[to-1]
		from = to
		if last.GPUs != askedGPUs(last) && last.State == "TIMEOUT" {
			continue // the limit ended it there, and would not have on what it asks
		}
		if !last.HasEnded || last.End.After(until) || !slices.Contains(naturalEnds, last.State) || ran <= 0 {
			continue
		}
		job := learn.Job{User: last.User, Account: last.Account, Name: last.Name, GPUs: askedGPUs(last), Limit: policy.DurationFromSeconds(last.LimitSeconds)}
		if len(last.GPUTypes) > 0 {
			job.GPUType = last.GPUTypes[0]
		}
		ended = append(ended, learn.Run{Job: job, Start: first.Start, End: last.End, Ran: ran})
	}
	return ended
}

// naturalEnds are the states from which run times are learnt, as live.
var naturalEnds = []string{"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE"}

// addUnstartedRemarks says how many jobs the scenario lacks because they never ran.
func (p *Period) addUnstartedRemarks(ctx context.Context, from RunsRecord, s *PastScenario) error {
	waiting, ended, err := from.CountUnstartedJobs(ctx, p.Cluster, p.Partition, p.Since, p.Until)
	for _, r := range []struct {
		count int
		text  string
	}{
		{waiting, "waiting still: %s, left out, as nobody knows how long they run"},
		{ended, "ended before they started: %s, left out, though they stood in the queue"},
	} {
		if r.count > 0 {
			s.Remarks = append(s.Remarks, fmt.Sprintf(r.text, policy.FormatCount(r.count, "job")))
		}
	}
	return err
}
