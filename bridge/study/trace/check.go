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
			wrong.add(t, j, "gpu type", fmt.Sprintf("job %d wants GPUs of type %s, but the cluster has %s", j.ID, j.GPUType, list(slices.Sorted(maps.Keys(gpus)))))
		case j.GPUs > n:
			wrong.add(t, j, "gpus", fmt.Sprintf("job %d wants %d GPUs of type %s, but the cluster has %d; take a larger cluster or leave the job out", j.ID, j.GPUs, j.GPUType, n))
		}
	}
	return wrong.err()
}

// Measured says which training jobs have no speed in the tables on any of the
// GPU types, as one error of several Problems; nil when all have one.
func (t *Trace) Measured(tables *workload.Tables, types []string) error {
	var wrong problems
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Training == nil || slices.ContainsFunc(types, func(typ string) bool { return fast(tables, typ, j.Class, j.GPUs) }) {
			continue
		}
		what := fmt.Sprintf("no speed of %q with %d GPUs on %s in the throughput tables", j.Class, j.GPUs, list(types))
		if near := nearest(tables, types, j); near != "" {
			what += "; " + near
		}
		wrong.add(t, j, "job type", what)
	}
	return wrong.err()
}

func fast(tables *workload.Tables, typ, class string, gpus int) bool {
	v, ok := tables.Alone(typ, class, gpus)
	return ok && v > 0
}

// nearest suggests what the tables have instead.
func nearest(tables *workload.Tables, types []string, j *workload.Job) string {
	if !slices.ContainsFunc(types, func(typ string) bool { return slices.Contains(tables.Types(), typ) }) {
		return "they know the GPU types " + list(tables.Types())
	}
	var names []string
	for _, typ := range types {
		for _, k := range tables.Classes(typ) {
			if k.Class == j.Class && fast(tables, typ, k.Class, k.GPUs) {
				return fmt.Sprintf("they have it with %d GPUs", k.GPUs)
			}
			names = append(names, k.Class)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a, j.Class), distance(b, j.Class)), cmp.Compare(a, b))
	})
	if names = slices.Compact(names); len(names) == 0 {
		return ""
	}
	return "is it one of " + list(quoted(names[:min(3, len(names))])) + "?"
}

func quoted(names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, fmt.Sprintf("%q", n))
	}
	return all
}

func list(names []string) string { return strings.Join(names, ", ") }

// distance is how many letters have to be put in, taken out or changed to make
// one text of another.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, last[j+1]+1, next[j]+1)
		}
		last = next
	}
	return last[len(b)]
}

// problems are the faults of a trace; only the first few are kept.
type problems struct {
	first []error
	more  int
}

func (p *problems) add(t *Trace, j *workload.Job, column, what string) {
	if len(p.first) == shownBad {
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
