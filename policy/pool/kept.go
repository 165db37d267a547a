package pool

import (
	"slices"

	"fairbridge/policy"
)

// Kept is a pool that is brought from one snapshot to the next: what jobs no longer hold is given back, and what they
// hold since is taken. The zero Kept has none yet.
type Kept struct {
	pool           *Pool
	nodes          []policy.Node
	speeds         []policy.Speed
	holders, spare []holder // by job
}

// holder is what a job holds of the pool.
type holder struct {
	job     policy.JobID
	on      policy.Alloc
	amounts policy.Amounts
}

func (h *holder) isAs(o *holder) bool {
	return h.amounts == o.amounts && isSameSlice(h.on, o.on)
}

func isSameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// IsOf reports whether what is kept is of the snapshot's nodes, none of which is ever set aside.
func (k *Kept) IsOf(s *policy.Snapshot) bool {
	return k.pool != nil && isSameSlice(k.nodes, s.Nodes) && isSameSlice(k.speeds, s.Speeds)
}

// Renew returns the pool of the snapshot, as New does. It is valid until it is called again.
func (k *Kept) Renew(s *policy.Snapshot) *Pool {
	if !k.IsOf(s) {
		p := New(s)
		if *k = (Kept{}); !slices.ContainsFunc(s.Nodes, func(n policy.Node) bool { return len(n.Windows) > 0 }) {
			*k = Kept{pool: p, nodes: s.Nodes, speeds: s.Speeds}
			k.setHolders(s, func(*holder, int) {})
		}
		return p
	}
	p := k.pool
	p.Rewind(0)
	k.setHolders(s, func(h *holder, sign int) { p.applyAlloc(h.on, sign, h.amounts.CPUs, h.amounts.MemMB) })
	p.startTime, p.undoLog = s.Now, p.undoLog[:0]
	return p
}

// setHolders notes what the jobs of the snapshot hold. change is told what a job held and does not any more, with 1,
// and what it did not hold before, with -1.
func (k *Kept) setHolders(s *policy.Snapshot, change func(h *holder, sign int)) {
	next, before := k.spare[:0], k.holders
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		for ; len(before) > 0 && before[0].job < j.ID; before = before[1:] {
			change(&before[0], 1)
		}
		next = append(next, holder{j.ID, j.On, j.HeldAmounts()})
		h := &next[len(next)-1]
		if len(before) > 0 && before[0].job == h.job {
			old := &before[0]
			if before = before[1:]; old.isAs(h) {
				continue
			}
			change(old, 1)
		}
		change(h, -1)
	}
	for i := range before {
		change(&before[i], 1)
	}
	k.holders, k.spare = next, k.holders
}
