package exact

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// historyMost is how many finished jobs policies see.
const historyMost = 1000

// past is the latest finished jobs. Policies see them by service, as most would
// sort them so at every decision.
type past struct {
	sorted []policy.Sample
	ring   []policy.Sample // in the order of their ends, the oldest at next
	next   int
}

func (p *past) add(s policy.Sample) {
	if len(p.ring) < historyMost {
		p.ring = append(p.ring, s)
	} else {
		i, _ := slices.BinarySearchFunc(p.sorted, p.ring[p.next], byService)
		p.sorted = slices.Delete(p.sorted, i, i+1)
		p.ring[p.next] = s
		p.next = (p.next + 1) % historyMost
	}
	i, _ := slices.BinarySearchFunc(p.sorted, s, byService)
	p.sorted = slices.Insert(p.sorted, i, s)
}

func byService(a, b policy.Sample) int {
	return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Ran, b.Ran), cmp.Compare(a.GPUs, b.GPUs))
}
