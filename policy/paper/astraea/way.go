package astraea

import (
	"cmp"
	"slices"
)

// makeWay lets an account's new jobs that were not granted anything take the
// place of its own over-served jobs that are young in their lease.
func (h *hearing) makeWay() {
	if !h.past.At.Before(h.Now) {
		return
	}
	young := map[*tenant][]*petition{}
	for _, p := range h.kept {
		if !h.bound(p.Entry) && p.step > step(1, h.Levels) && p.Ran(h.Now)%p.lease < h.Delay {
			young[p.tenant] = append(young[p.tenant], p)
		}
	}
	for _, t := range h.tenants {
		slices.SortFunc(young[t], func(a, b *petition) int {
			return cmp.Or(cmp.Compare(b.step, a.step), cmp.Compare(a.ID, b.ID))
		})
		h.swap(t, young[t])
	}
	h.kept = slices.DeleteFunc(h.kept, func(p *petition) bool { return !p.granted })
}

// swap goes through the account's waiting new jobs and its young ones.
func (h *hearing) swap(t *tenant, young []*petition) {
	all := append(t.late, t.jobs...)
	t.late, t.jobs = nil, nil
	for _, p := range all {
		n := 0
		if !p.Active() && p.FirstStart.IsZero() {
			n = enough(p, young)
		}
		if n == 0 {
			t.jobs = append(t.jobs, p)
			continue
		}
		for _, y := range young[:n] {
			y.granted = false
			y.Note = y.note()
			t.jobs = append(t.jobs, y)
		}
		young = young[n:]
		p.granted = true
		h.granted = append(h.granted, p)
	}
}

// enough returns how many of the young jobs together hold what p asks; 0 when
// all do not.
func enough(p *petition, young []*petition) int {
	devices := 0
	for i, y := range young {
		for _, slot := range y.On {
			if typ := p.Ask.GPUs.Type; typ == "" || typ == slot.Type {
				devices += slot.Count
			}
		}
		if devices >= p.Ask.GPUs.Count {
			return i + 1
		}
	}
	return 0
}
