package demo

import (
	"fmt"
	"time"
)

// question is a job worth asking about.
type question struct {
	job int64
	why string
}

// questions chooses the job that waited longest, one that was requeued, and
// the one that gained most against Slurm alone.
func questions(before, after []Life) []question {
	was := map[work]time.Duration{}
	for i := range before {
		was[work{before[i].Name, before[i].Task}] = before[i].Wait()
	}
	var longest, requeued, early *Life
	gain := func(l *Life) time.Duration { return was[work{l.Name, l.Task}] - l.Wait() }
	for i := range after {
		l := &after[i]
		if len(l.Runs) > 1 {
			if requeued == nil || len(l.Runs) > len(requeued.Runs) {
				requeued = l
			}
			continue
		}
		if longest == nil || l.Wait() > longest.Wait() {
			longest = l
		}
		if early == nil || gain(l) > gain(early) {
			early = l
		}
	}
	var out []question
	if longest != nil {
		out = append(out, question{longest.Job, fmt.Sprintf("%s waited longest, %.0f s", longest.Name, longest.Wait().Seconds())})
	}
	if requeued != nil {
		out = append(out, question{requeued.Job, fmt.Sprintf("%s was requeued", requeued.Name)})
	}
	if early != nil && gain(early) > 0 {
		out = append(out, question{early.Job, fmt.Sprintf("%s waited %.0f s, %.0f s on Slurm alone",
			early.Name, early.Wait().Seconds(), was[work{early.Name, early.Task}].Seconds())})
	}
	return out
}
