package trace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/bridge/study/workload"
)

// Fits says which jobs can never run on a cluster with so many GPUs of each
// type, as one error of several Problems; nil when all can.
func (t *Trace) Fits(gpus map[string]int) error {
	all := 0
	for _, n := range gpus {
		all = max(all, n)
	}
	var wrong problems
	for i := range t.Jobs {
		j := &t.Jobs[i]
		n, known := gpus[j.GPUType]
		switch {
		case j.GPUType == "":
			if j.GPUs > all {
				wrong.add(t, j, "gpus", fmt.Sprintf("job %d wants %d GPUs, but the cluster has at most %d of one type; take a larger cluster or leave the job out", j.ID, j.GPUs, all))
			}
		case !known:
			wrong.add(t, j, "gpu type", fmt.Sprintf("job %d wants GPUs of type %s, but the cluster has %s", j.ID, j.GPUType, strings.Join(slices.Sorted(maps.Keys(gpus)), ", ")))
		case j.GPUs > n:
			wrong.add(t, j, "gpus", fmt.Sprintf("job %d wants %d GPUs of type %s, but the cluster has %d; take a larger cluster or leave the job out", j.ID, j.GPUs, j.GPUType, n))
		}
	}
	return wrong.err()
}

// problems are the faults of a trace; only the first few are kept.
type problems struct {
	first []error
	more  int
}

func (p *problems) add(t *Trace, j *workload.Job, column, what string) {
	if len(p.first) == maxBad {
		p.more++
		return
	}
	p.first = append(p.first, Problem{cmp.Or(t.Path, t.Name), j.Line, column, what})
}

func (p *problems) err() error {
	if p.more > 0 {
		p.first = append(p.first, fmt.Errorf("and %d more", p.more))
	}
	return errors.Join(p.first...)
}
