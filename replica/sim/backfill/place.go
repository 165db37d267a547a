package backfill

import (
	"time"

	"fairbridge/replica/sim/inventory"
)

// firstWindow is how far apart the ends of running jobs may be that are tried together at first;
// each further try takes a window twice as long. So slurmctld finds a start in a few tries, and
// rather too late than too early.
const firstWindow = 30 * time.Second

// findStart finds when and where a task of the class could start on the nodes of p.open if
// nothing but the running jobs were in its way, and these ended at their limits. No slots: never.
func (p *Plan) findStart(k *taskClass) (int64, inventory.Slots) {
	count := p.beginFuture(k)
	if slots := p.tryFuture(k, count); slots != nil {
		return p.now, slots
	}
	window, first := int64(firstWindow), int64(0)
	for i := 0; i < len(p.releases); {
		last := -1
		for i < len(p.releases) {
			r := &p.releases[i]
			i++
			if !p.isOnOpenNode(r.slots) {
				continue
			}
			if first == 0 {
				first = r.at + window - r.at%window
			}
			last = i - 1
			count += p.endJob(k, r.slots)
			if i < len(p.releases) && p.releases[i].at > first+window {
				break
			}
		}
		if last < 0 {
			break
		}
		for window *= 2; i < len(p.releases) && p.releases[i].at > first+window; {
			window *= 2
		}
		if slots := p.tryFuture(k, count); slots != nil {
			return p.releases[last].at, slots
		}
	}
	return neverNanos, nil
}

// beginFuture sets the future to now and returns how many open nodes have room for a share.
func (p *Plan) beginFuture(k *taskClass) (count int) {
	copy(p.future, p.free)
	p.openNodes = p.openNodes[:0]
	for _, n := range k.nodes {
		if !p.open.has(n.Index) {
			continue
		}
		p.openNodes = append(p.openNodes, n)
		_, ok := k.NewSlot(n, p.future[n.Index], k.GPUsPerNode)
		if p.fits[n.Index] = ok; ok {
			count++
		}
	}
	return count
}

// tryFuture finds a place among the open nodes, of which so many have room for a share.
func (p *Plan) tryFuture(k *taskClass, count int) inventory.Slots {
	for i := range k.NamedNodeCount {
		if !p.open.has(k.nodes[i].Index) {
			return nil
		}
	}
	if k.TotalGPUs == 0 && count < k.MinNodes || len(p.openNodes) == 0 {
		return nil
	}
	return k.FindSlots(p.openNodes, func(n *inventory.Node) inventory.FreeResources { return p.future[n.Index] })
}

// endJob gives back what a job has of the open nodes and returns on how many more a share fits.
func (p *Plan) endJob(k *taskClass, slots inventory.Slots) (more int) {
	for i := range slots {
		n := slots[i].Node
		if !p.open.has(n.Index) {
			continue
		}
		takeSlot(&p.future[n.Index], &slots[i], -1)
		if p.fits[n.Index] {
			continue
		}
		if _, ok := k.NewSlot(n, p.future[n.Index], k.GPUsPerNode); ok {
			p.fits[n.Index] = true
			more++
		}
	}
	return more
}

func (p *Plan) isOnOpenNode(slots inventory.Slots) bool {
	for i := range slots {
		if p.open.has(slots[i].Node.Index) {
			return true
		}
	}
	return false
}
