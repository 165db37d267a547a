package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// comparisonQuestion is something worth asking about a job, with the jobs it may be
// asked about, the best first: one that came and went between two looks of
// fairbridge is unknown to it.
type comparisonQuestion struct {
	jobs []*JobOutcome
	why  func(*JobOutcome) string
}

// findQuestions asks about the job that waited longest, one that was requeued, and
// the one that gained most against Slurm alone.
func findQuestions(before, after []JobOutcome) []comparisonQuestion {
	was := map[jobKey]time.Duration{}
	for i := range before {
		was[jobKey{before[i].Name, before[i].TaskIndex}] = before[i].WaitTime()
	}
	alone := func(l *JobOutcome) time.Duration { return was[jobKey{l.Name, l.TaskIndex}] }
	gain := func(l *JobOutcome) time.Duration { return alone(l) - l.WaitTime() }
	var straight, requeued, early []*JobOutcome
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
		{sortDescending(straight, (*JobOutcome).WaitTime), func(l *JobOutcome) string {
			return fmt.Sprintf("%s waited long, %.0f s", l.Name, l.WaitTime().Seconds())
		}},
		{sortDescending(requeued, func(l *JobOutcome) time.Duration { return time.Duration(len(l.Runs)) }), func(l *JobOutcome) string { return l.Name + " was requeued" }},
		{sortDescending(early, gain), func(l *JobOutcome) string {
			return fmt.Sprintf("%s waited %.0f s, %.0f s on Slurm alone", l.Name, l.WaitTime().Seconds(), alone(l).Seconds())
		}},
	}
}

// sortDescending sorts the jobs by a value, the largest first.
func sortDescending(list []*JobOutcome, value func(*JobOutcome) time.Duration) []*JobOutcome {
	slices.SortStableFunc(list, func(a, b *JobOutcome) int { return cmp.Compare(value(b), value(a)) })
	return list
}
