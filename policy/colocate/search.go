package colocate

import (
	"slices"
)

// bestPack returns the pack that is worth the most of those with a unit that has a lease, of the units that are worth the
// most each.
func (c *Chooser) bestPack(k *kind) Pack {
	s := packSearch{Chooser: c, heads: heads(k)}
	s.extend(nil, 0)
	return s.best
}

// heads are the units that are tried with each other, one with a lease among them; none where none is left.
func heads(k *kind) []*Unit {
	heads := slices.Clone(k.units[:min(len(k.units), headCount)])
	if slices.ContainsFunc(heads, (*Unit).isLeased) {
		return heads
	}
	i := slices.IndexFunc(k.units, (*Unit).isLeased)
	if i < 0 {
		return nil
	}
	heads[len(heads)-1] = k.units[i]
	return heads
}

// isLeased reports whether it is to run, and does not in any case.
func (u *Unit) isLeased() bool { return u.HasLease && !u.IsFixed }

// packSearch tries all packs of some units.
type packSearch struct {
	*Chooser
	heads []*Unit
	best  Pack
	gain  float64
}

// extend tries the first n units chosen, and all further ones from an index on with them.
func (s *packSearch) extend(chosen []*Unit, from int) {
	for i := from; i < len(s.heads); i++ {
		with := append(chosen, s.heads[i])
		p, may, gains := s.newPack(with)
		if !may {
			continue
		}
		if gain := s.gainOf(&p); gains && s.keepsTurns(with) && slices.ContainsFunc(with, (*Unit).isLeased) && (len(s.best.Units) == 0 || gain > s.gain) {
			p.Units = slices.Clone(with)
			s.best, s.gain = p, gain
		}
		if len(with) < s.Jobs {
			s.extend(with, i+1)
		}
	}
}
