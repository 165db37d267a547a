package cells

// Fits reports whether the cluster has room for the cells of a chain that all virtual clusters have
// together, pinned ones aside. New says the same, but makes all cells for it.
func (c *Config) Fits(chainName string) bool {
	ch, tops := newChain(c, chainName), 0
	for _, p := range c.Physical {
		if p.Type == chainName {
			tops++
		}
	}
	for _, v := range c.VirtualClusters {
		for _, q := range v.Cells {
			if q.Chain != chainName {
				continue
			}
			level := ch.levelOf(q.Type)
			if level < 0 || q.Number < 0 {
				return false
			}
			ch.due[level] += q.Number
		}
	}
	level, _ := ch.lacking(tops)
	return level < 0
}
