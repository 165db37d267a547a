package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// question is something worth asking about a job, with the jobs it may be
// asked about, the best first: one that came and went between two looks of
// fairbridge is unknown to it.
type question struct {
	jobs []*Life
	why  func(*Life) string
}

// questions asks about the job that waited longest, one that was requeued, and
// the one that gained most against Slurm alone.
func questions(before, after []Life) []question {
	was := map[work]time.Duration{}
	for i := range before {
		was[work{before[i].Name, before[i].Task}] = before[i].Wait()
	}
	alone := func(l *Life) time.Duration { return was[work{l.Name, l.Task}] }
	gain := func(l *Life) time.Duration { return alone(l) - l.Wait() }
	var straight, requeued, early []*Life
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
	return []question{
		{most(straight, (*Life).Wait), func(l *Life) string { return fmt.Sprintf("%s waited long, %.0f s", l.Name, l.Wait().Seconds()) }},
		{most(requeued, func(l *Life) time.Duration { return time.Duration(len(l.Runs)) }), func(l *Life) string { return l.Name + " was requeued" }},
		{most(early, gain), func(l *Life) string {
			return fmt.Sprintf("%s waited %.0f s, %.0f s on Slurm alone", l.Name, l.Wait().Seconds(), alone(l).Seconds())
		}},
	}
}

// most sorts the jobs by a value, the largest first.
func most(list []*Life, value func(*Life) time.Duration) []*Life {
	slices.SortStableFunc(list, func(a, b *Life) int { return cmp.Compare(value(b), value(a)) })
	return list
}
