package colocate

import (
	"slices"
)

// bestPack returns the pack that is worth the most, of the units that are worth the most each; where only
// those with a lease count, of packs with one of them.
func (c *Chooser) bestPack(k *kind, onlyLeased bool) Pack {
	s := packSearch{Chooser: c, heads: c.heads(k, onlyLeased), onlyLeased: onlyLeased}
	s.extend(nil, 0)
	return s.best
}

// heads are the units that are tried with each other.
func (c *Chooser) heads(k *kind, onlyLeased bool) []*Unit {
	heads := slices.Clone(k.units[:min(len(k.units), headCount)])
	hasLease := func(u *Unit) bool { return u.HasLease && !u.IsFixed }
	if !onlyLeased || slices.ContainsFunc(heads, hasLease) {
		return heads
	}
	i := slices.IndexFunc(k.units, hasLease)
	if i < 0 {
		return nil
	}
	heads[len(heads)-1] = k.units[i]
	return heads
}

// packSearch tries all packs of some units.
type packSearch struct {
	*Chooser
	heads      []*Unit
	onlyLeased bool
	best       Pack
	gain       float64
	units      [MaxJobs]*Unit
}

// extend tries the first n units chosen, and all further ones from an index on with them.
func (s *packSearch) extend(chosen []*Unit, from int) {
	for i := from; i < len(s.heads); i++ {
		with := append(chosen, s.heads[i])
		p, may, gains := s.newPack(with)
		if !may {
			continue
		}
		if gain := s.gainOf(&p); gains && s.counts(&p) && (len(s.best.Units) == 0 || gain > s.gain) {
			p.Units = slices.Clone(with)
			s.best, s.gain = p, gain
		}
		if len(with) < s.Jobs {
			s.extend(with, i+1)
		}
	}
}

// counts reports whether the pack is one of those looked for.
func (s *packSearch) counts(p *Pack) bool {
	for _, u := range p.Units {
		if !u.IsFixed && (u.HasLease || !s.onlyLeased) {
			return true
		}
	}
	return false
}
