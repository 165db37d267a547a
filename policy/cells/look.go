package cells

// GangStatus is how far a gang is.
type GangStatus struct {
	State     GangState
	IsOutside bool // it runs without cells of its virtual cluster
}

// Gangs returns all gangs that hold cells, or have them reserved, by name.
func (k *Cluster) Gangs() map[string]GangStatus {
	out := map[string]GangStatus{}
	for name, g := range k.gangs {
		out[name] = GangStatus{State: g.state, IsOutside: len(g.slots[0].virtual) == 0}
	}
	return out
}

// CellStatus is how a virtual cell is.
type CellStatus struct {
	IsBad  bool // the physical cell that it is bound to is
	IsFree bool // no gang uses it
}

// NodeCells returns the cells of whole nodes that a virtual cluster has in a chain, without
// pinned ones.
func (k *Cluster) NodeCells(virtualCluster, chainName string) []CellStatus {
	t := k.tenant(virtualCluster)
	if t == nil || t.pools[chainName] == nil {
		return nil
	}
	p := t.pools[chainName]
	var out []CellStatus
	for _, c := range p.all[p.chain.nodeLevel] {
		out = append(out, CellStatus{IsBad: c.counter != nil && c.counter.isBad, IsFree: c.priority == FreePriority})
	}
	return out
}

// IsSafe reports whether all that virtual clusters are still due can be carved from what is
// free, in every chain.
func (k *Cluster) IsSafe() bool {
	for _, c := range k.chains {
		if !c.isSafe() {
			return false
		}
	}
	return true
}
