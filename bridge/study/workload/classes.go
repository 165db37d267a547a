package workload

import (
	"cmp"
	"slices"
)

// Size is a class of jobs and the number of their GPUs.
type Size struct {
	Class string
	GPUs  int
}

// Classes returns what was measured alone on GPUs of the type, sorted.
func (t *Tables) Classes(typ string) []Size {
	if t == nil {
		return nil
	}
	var all []Size
	for k := range t.alone {
		if k.typ == typ {
			all = append(all, Size{k.class, k.gpus})
		}
	}
	slices.SortFunc(all, func(a, b Size) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.GPUs, b.GPUs))
	})
	return all
}
