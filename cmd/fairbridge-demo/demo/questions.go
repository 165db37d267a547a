package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
)

// comparisonQuestion is something worth asking about a job, with the jobs it may be
// asked about, the best first: one that came and went between two looks of
// fairbridge is unknown to it.
type comparisonQuestion struct {
	jobs []*workday.JobOutcome
	why  func(*workday.JobOutcome) string
}

// findQuestions asks about the job that waited longest, one that was requeued, and
// the one that gained most against Slurm alone.
func findQuestions(before, after []workday.JobOutcome) []comparisonQuestion {
	was := map[workday.JobKey]time.Duration{}
	for i := range before {
		was[before[i].Key()] = before[i].WaitTime()
	}
	alone := func(l *workday.JobOutcome) time.Duration { return was[l.Key()] }
	gain := func(l *workday.JobOutcome) time.Duration { return alone(l) - l.WaitTime() }
	var straight, requeued, early []*workday.JobOutcome
	for i := range after {
		l := &after[i]
		switch {
		case len(l.Runs) > 1:
			requeued = append(requeued, l)
			continue
		case gain(l) > 0:
			early = append(early, l)
		}
		straight = append(straight, l)
	}
	return []comparisonQuestion{
		{sortDescending(straight, (*workday.JobOutcome).WaitTime), func(l *workday.JobOutcome) string {
			return fmt.Sprintf("%s waited long, %.0f s", l.Name, l.WaitTime().Seconds())
		}},
		{sortDescending(requeued, func(l *workday.JobOutcome) time.Duration { return time.Duration(len(l.Runs)) }), func(l *workday.JobOutcome) string { return l.Name + " was requeued" }},
		{sortDescending(early, gain), func(l *workday.JobOutcome) string {
			return fmt.Sprintf("%s waited %.0f s, %.0f s on Slurm alone", l.Name, l.WaitTime().Seconds(), alone(l).Seconds())
		}},
	}
}

// sortDescending sorts the jobs by a value, the largest first.
func sortDescending(list []*workday.JobOutcome, value func(*workday.JobOutcome) time.Duration) []*workday.JobOutcome {
	slices.SortStableFunc(list, func(a, b *workday.JobOutcome) int { return cmp.Compare(value(b), value(a)) })
	return list
}
