package paired

import (
	"fmt"
	"math"
)

// sizeRange is jobs of so many GPUs.
type sizeRange struct{ least, most int }

// sizeRanges are one GPU, up to half a node, up to a node, and more: 1, 2–4, 5–8 and more on
// nodes of 8. Those that no number falls into are left out.
func sizeRanges(gpusPerNode int) []sizeRange {
	all := []sizeRange{{1, 1}}
	for _, most := range []int{gpusPerNode / 2, gpusPerNode, math.MaxInt} {
		if last := all[len(all)-1].most; most > last {
			all = append(all, sizeRange{last + 1, most})
		}
	}
	return all
}

// title says which sizes they are: "2–4 GPUs".
func (s sizeRange) title() string {
	switch {
	case s.most == math.MaxInt:
		return fmt.Sprintf("≥ %d GPUs", s.least)
	case s.least == s.most && s.least == 1:
		return "1 GPU"
	case s.least == s.most:
		return fmt.Sprintf("%d GPUs", s.least)
	}
	return fmt.Sprintf("%d–%d GPUs", s.least, s.most)
}

// key says it in a key of JSON: "1", "2_to_4", "from_9".
func (s sizeRange) key() string {
	switch {
	case s.most == math.MaxInt:
		return fmt.Sprintf("from_%d", s.least)
	case s.least == s.most:
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("%d_to_%d", s.least, s.most)
}

// SizeOf says of which of the sizes that are told apart on nodes of so many GPUs a job of some
// is: "2–4 GPUs", and the least of them.
func SizeOf(gpusPerNode, gpus int) (title string, least int) {
	of := sizeRange{gpus, gpus}
	for _, s := range sizeRanges(gpusPerNode) {
		if gpus >= s.least && gpus <= s.most {
			of = s
		}
	}
	return of.title(), of.least
}
