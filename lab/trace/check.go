package trace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// CheckFits says which jobs can never run on a cluster with so many GPUs of each
// type, as one error of several Problems; nil when all can.
func (t *Trace) CheckFits(gpus map[string]int) error {
	all := 0
	for _, n := range gpus {
		all = max(all, n)
	}
	var wrong problemList
	for i := range t.Jobs {
		j := &t.Jobs[i]
		n, known := gpus[j.GPUType]
		switch {
		case j.GPUType == "":
			if j.GPUs > all {
				wrong.add(
					t,
					j,
					"gpus",
					fmt.Sprintf(
						"job %d wants %s, but the cluster has at most %d of one type; take a larger cluster or leave the job out",
						j.ID,
						policy.FormatCount(j.GPUs, "GPU"),
						all,
					),
				)
			}
		case !known:
			wrong.add(
				t,
				j,
				"gpu type",
				fmt.Sprintf(
					"job %d wants GPUs of type %s, but the cluster has %s",
					j.ID,
					j.GPUType,
					strings.Join(slices.Sorted(maps.Keys(gpus)), ", "),
				),
			)
		case j.GPUs > n:
			wrong.add(
				t,
				j,
				"gpus",
				fmt.Sprintf(
					"job %d wants %s of type %s, but the cluster has %d; take a larger cluster or leave the job out",
					j.ID,
					policy.FormatCount(j.GPUs, "GPU"),
					j.GPUType,
					n,
				),
			)
		}
	}
	return wrong.combinedError()
}

// problemList are the faults of a trace; only the first few are kept.
type problemList struct {
	firstErrors []error
	moreCount   int
}

func (p *problemList) add(t *Trace, j *workload.Job, column, what string) {
	if len(p.firstErrors) == maxKeptErrors {
		p.moreCount++
		return
	}
	p.firstErrors = append(
		p.firstErrors,
		workload.Problem{File: cmp.Or(t.Path, t.Name), Line: j.Line, Column: column, Message: what},
	)
}

func (p *problemList) combinedError() error {
	if p.moreCount > 0 {
		p.firstErrors = append(p.firstErrors, fmt.Errorf("and %d more", p.moreCount))
	}
	return errors.Join(p.firstErrors...)
}
