package cells

// tenant is a virtual cluster.
type tenant struct {
	name   string
	pools  map[string]*virtualPool // cells of its quota, by chain
	pinned map[string]*virtualPool // of one cell each, by name
	due    map[*chain][]int        // cells of its quota that are not bound, by level
	doomed map[*chain][][]*cell    // bad physical cells bound to cells that no gang uses, by level
}

// virtualPool are virtual cells that are searched together.
type virtualPool struct {
	chain *chain
	roots [][]*cell // by level, as the quota has them
	all   [][]*cell // with those below
	view  view
}

func newTenant(name string) *tenant {
	return &tenant{name: name, pools: map[string]*virtualPool{}, pinned: map[string]*virtualPool{}, due: map[*chain][]int{}, doomed: map[*chain][][]*cell{}}
}

func newVirtualPool(c *chain) *virtualPool {
	return &virtualPool{chain: c, roots: make([][]*cell, len(c.types)), all: make([][]*cell, len(c.types))}
}

// add adds a cell of the level to the pool.
func (p *virtualPool) add(t *tenant, level int) {
	root := newTree(p.chain, level)
	p.roots[level] = append(p.roots[level], root)
	root.walk(func(c *cell) {
		c.owner, c.root = t, root
		p.all[c.level] = append(p.all[c.level], c)
	})
}

// count notes that the tenant has so many cells more.
func (t *tenant) count(c *chain, level, number int) {
	if t.due[c] == nil {
		t.due[c] = make([]int, len(c.types))
		t.doomed[c] = make([][]*cell, len(c.types))
	}
	t.due[c][level] += number
	c.due[level] += number
}
