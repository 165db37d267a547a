package workload

import (
	"cmp"
	"slices"
)

// ClassSize is a class of jobs and the number of their GPUs.
type ClassSize struct {
	Class string
	GPUs  int
}

// ClassSizes returns what was measured alone on GPUs of the type, sorted.
func (t *SpeedTables) ClassSizes(typ string) []ClassSize {
	if t == nil {
		return nil
	}
	var all []ClassSize
	for k := range t.stepsAlone {
		if k.gpuType == typ {
			all = append(all, ClassSize{k.class, k.gpuCount})
		}
	}
	slices.SortFunc(all, func(a, b ClassSize) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.GPUs, b.GPUs))
	})
	return all
}
