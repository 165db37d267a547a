package colocate

import (
	"slices"
)

// mostJoiners is how many units of one kind of devices may join others in a round, those whose work is worth the most.
const mostJoiners = 64

// joinFixed lets units that wait and found no GPUs join those that run in any case, each where that gains the most.
func (c *Chooser) joinFixed() {
	for _, k := range c.kinds {
		joiners := slices.DeleteFunc(slices.Clone(k.units), func(u *Unit) bool { return u.isTaken || u.runs() || u.sharesMB == 0 })
		for _, u := range joiners[:min(len(joiners), mostJoiners)] {
			c.joinBest(u)
		}
	}
}

// joinBest puts the unit into the fixed pack of its kind in which it gains the most, if it does in one.
func (c *Chooser) joinBest(u *Unit) {
	var best Pack
	at, most := -1, 0.0
	for i := range c.packs {
		p := &c.packs[i]
		if p.devices() != u.Devices || !p.isFixed() {
			continue
		}
		with, _, gains := c.newPack(append(slices.Clone(p.Units), u))
		if gain := with.Worth - p.Worth; gains && gain > most && c.keepsTurns(with.Units) {
			at, best, most = i, with, gain
		}
	}
	if at >= 0 {
		c.packs[at], u.isTaken = best, true
	}
}
