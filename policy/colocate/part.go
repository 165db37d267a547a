package colocate

// halves are the two parts of a pack that are worth the most together, and how much more than the whole; 0: it is
// not to be parted.
type halves struct {
	parts [2]Pack
	gain  float64
}

// part parts packs while there are GPUs left for one part of them, first where that gains the most for
// each GPU.
func (c *Chooser) part() {
	all := make([]halves, len(c.packs))
	for i := range c.packs {
		all[i] = c.bestHalves(&c.packs[i])
	}
	for {
		at, best := -1, 0.0
		for i := range all {
			d := c.packs[i].devices()
			if gain := all[i].gain / float64(max(d.Count, 1)); gain > best && c.has(d) {
				at, best = i, gain
			}
		}
		if at < 0 {
			return
		}
		d, parts := c.packs[at].devices(), all[at].parts
		c.Budget.TakeDevices(d.GPUType, d.Count)
		c.packs[at], all[at] = parts[0], c.bestHalves(&parts[0])
		c.packs, all = append(c.packs, parts[1]), append(all, c.bestHalves(&parts[1]))
	}
}

// bestHalves finds the parts of a pack.
func (c *Chooser) bestHalves(p *Pack) (best halves) {
	for mask := 1; mask < 1<<(len(p.Units)-1); mask++ {
		var sides [2][]*Unit
		for i, u := range p.Units {
			sides[mask>>i&1] = append(sides[mask>>i&1], u)
		}
		x, _, gainsX := c.newPack(sides[0])
		y, _, gainsY := c.newPack(sides[1])
		if gain := x.Worth + y.Worth - p.Worth; gainsX && gainsY && gain > best.gain {
			best = halves{[2]Pack{x, y}, gain}
		}
	}
	return best
}
