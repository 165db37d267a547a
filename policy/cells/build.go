package cells

import (
	"fmt"
	"maps"
	"slices"
)

// Cluster is a cluster of cells, its virtual clusters and the gangs on it.
type Cluster struct {
	books
	chains      map[string]*chain
	deviceTypes []string // in the order in which they are tried
	chainOrder  map[string][]*chain
	gangs       map[string]*gang
	badNodes    map[string]bool
}

// books say which cells are free, in use and bad.
type books struct{ tenants []*tenant }

// builder makes a cluster of a configuration.
type builder struct {
	*Cluster
	*Config
	pins map[string]*cell // pinned cells by name
}

// New returns a cluster of which nothing is in use and no node is bad. It says what of the
// configuration is wrong, above all where quotas do not fit.
func New(c Config) (*Cluster, error) {
	k := builder{&Cluster{chains: map[string]*chain{}, chainOrder: map[string][]*chain{}, gangs: map[string]*gang{}, badNodes: map[string]bool{}}, &c, map[string]*cell{}}
	for _, p := range c.Physical {
		if err := k.addPhysical(p); err != nil {
			return nil, err
		}
	}
	if err := k.orderChains(); err != nil {
		return nil, err
	}
	for _, v := range c.VirtualClusters {
		if err := k.addTenant(v); err != nil {
			return nil, fmt.Errorf("virtual cluster %s: %w", v.Name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.chains)) {
		if err := k.chains[name].start(); err != nil {
			return nil, err
		}
	}
	k.bindPinned()
	return k.Cluster, nil
}

// addPhysical adds a cell at the top of its chain.
func (k *builder) addPhysical(p Physical) error {
	ch := k.chains[p.Type]
	if ch == nil {
		ch = newChain(k.Config, p.Type)
		if ch.top() > len(k.Types) {
			return fmt.Errorf("cell type %s: it is made of itself", p.Type)
		}
		k.chains[p.Type] = ch
		ch.order(k.Cluster)
	}
	root := newTree(ch, ch.top())
	if err := k.fill(root, p); err != nil {
		return fmt.Errorf("cell of type %s: %w", p.Type, err)
	}
	root.walk(func(n *cell) { ch.all[n.level] = append(ch.all[n.level], n) })
	ch.freeList[ch.top()] = append(ch.freeList[ch.top()], root)
	return nil
}

// order puts a new chain behind the others of its device type.
func (c *chain) order(k *Cluster) {
	if k.chainOrder[c.types[0]] == nil {
		k.deviceTypes = append(k.deviceTypes, c.types[0])
	}
	k.chainOrder[c.types[0]] = append(k.chainOrder[c.types[0]], c)
}

// fill names the nodes and devices of a physical cell.
func (k *builder) fill(n *cell, p Physical) error {
	if p.Pinned != "" {
		k.pins[p.Pinned], n.pinned = n, true
	}
	if len(p.Cells) == 0 {
		return k.fillNode(n, p)
	}
	if len(p.Cells) != len(n.children) {
		return fmt.Errorf("%d cells listed below it, its type has %d", len(p.Cells), len(n.children))
	}
	for i, child := range p.Cells {
		if err := k.fill(n.children[i], child); err != nil {
			return err
		}
		n.nodes = append(n.nodes, n.children[i].nodes...)
	}
	return nil
}

func (k *builder) fillNode(n *cell, p Physical) error {
	if len(p.Devices) != n.devices || p.Node == "" {
		return fmt.Errorf("node %q with %d devices named, its type has %d", p.Node, len(p.Devices), n.devices)
	}
	next := 0
	n.walk(func(c *cell) {
		c.nodes = []string{p.Node}
		if c.level > 0 {
			return
		}
		c.index = p.Devices[next]
		next++
		for name, index := range p.PinnedDevices {
			if index == c.index {
				k.pins[name], c.pinned = c, true
			}
		}
	})
	return nil
}

// orderChains orders the chains of device types as configured.
func (k *builder) orderChains() error {
	for deviceType, names := range k.ChainOrder {
		var order []*chain
		for _, name := range names {
			ch := k.chains[name]
			if ch == nil || ch.types[0] != deviceType {
				return fmt.Errorf("order of the chains of %s: there is no chain %s of it", deviceType, name)
			}
			order = append(order, ch)
		}
		if len(order) != len(k.chainOrder[deviceType]) {
			return fmt.Errorf("order of the chains of %s: it names %d of %d", deviceType, len(order), len(k.chainOrder[deviceType]))
		}
		k.chainOrder[deviceType] = order
	}
	return nil
}

// addTenant makes the virtual cells of a virtual cluster.
func (k *builder) addTenant(v VirtualCluster) error {
	t := newTenant(v.Name)
	if k.tenant(v.Name) != nil {
		return fmt.Errorf("it is there twice")
	}
	k.tenants = append(k.tenants, t)
	for _, q := range v.Cells {
		if err := k.addQuota(t, q); err != nil {
			return err
		}
	}
	for _, name := range v.Pinned {
		p := k.pins[name]
		if p == nil {
			return fmt.Errorf("there is no pinned cell %s", name)
		}
		t.pinned[name] = newVirtualPool(p.chain)
		t.pinned[name].add(t, p.level)
		t.pinned[name].view = newView(p.chain, t.pinned[name].all)
		t.count(p.chain, p.level, 1)
	}
	for _, p := range t.pools {
		p.view = newView(p.chain, p.all)
	}
	return nil
}

func (k *builder) addQuota(t *tenant, q Quota) error {
	ch := k.chains[q.Chain]
	if ch == nil {
		return fmt.Errorf("the cluster has no cell of type %s at the top", q.Chain)
	}
	level := ch.levelOf(q.Type)
	if level < 0 || q.Number < 0 {
		return fmt.Errorf("%d cells of type %s below %s: there are none", q.Number, q.Type, q.Chain)
	}
	if q.Number == 0 {
		return nil
	}
	if t.pools[q.Chain] == nil {
		t.pools[q.Chain] = newVirtualPool(ch)
	}
	for range q.Number {
		t.pools[q.Chain].add(t, level)
	}
	t.count(ch, level, q.Number)
	return nil
}

// start checks that the quotas fit, and counts what is left.
func (c *chain) start() error {
	for l := range c.all {
		c.left[l] = len(c.all[l])
	}
	if l, available := c.lacking(len(c.all[c.top()])); l >= 0 {
		return fmt.Errorf("chain %s: its virtual clusters have %d cells of type %s, %d are left for them", c.name, c.due[l], c.types[l], available)
	}
	c.view = newView(c, c.all)
	return nil
}

// lacking is the first level, from the largest cells downwards, that has fewer cells left than the quotas
// have, and how many, where there are so many at the top; -1: all fit.
func (c *chain) lacking(available int) (level, left int) {
	for l := c.top(); l >= 0; l-- {
		if c.due[l] > available {
			return l, available
		}
		available = (available - c.due[l]) * c.fanout[l]
	}
	return -1, 0
}

// bindPinned binds the pinned cells, for good.
func (k *builder) bindPinned() {
	for _, t := range k.tenants {
		for _, name := range slices.Sorted(maps.Keys(t.pinned)) {
			p, pool := k.pins[name], t.pinned[name]
			join(p, pool.roots[p.level][0])
			k.allocate(p, t)
		}
	}
}

// tenant returns the virtual cluster of the name; nil: there is none.
func (k *books) tenant(name string) *tenant {
	for _, t := range k.tenants {
		if t.name == name {
			return t
		}
	}
	return nil
}

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
