package cells

// Type says what a cell consists of. A type that no other is made from is a chain; one that
// has no Type of its own is a kind of device.
type Type struct {
	Child  string // type of the cells below
	Count  int    // how many of them, at least 1
	IsNode bool   // it is a whole machine
}

// Physical is a cell that exists, with those below it. Cells below a node are not listed: they
// are the devices of the node in tree order, as many at a time as the type says.
type Physical struct {
	Type    string
	Node    string     // of a cell within a node, else ""
	Devices []int      // indexes of the node's devices in tree order
	Cells   []Physical // of a cell above the node
	Pinned  string     // name by which a virtual cluster has this very cell; "": none
	// PinnedDevices are single devices of the node that virtual clusters have, by name.
	PinnedDevices map[string]int
}

// Quota is a number of cells of a virtual cluster.
type Quota struct {
	Chain  string // type at the top
	Type   string // type of the cells, Chain or a type below it
	Number int
}

// VirtualCluster is what one tenant has.
type VirtualCluster struct {
	Name   string
	Cells  []Quota
	Pinned []string // names of pinned cells
}

// Config is a cluster and who has what of it.
type Config struct {
	Types           map[string]Type
	Physical        []Physical
	VirtualClusters []VirtualCluster
	// ChainOrder are the chains of a device type in the order in which they are tried; a type
	// that it does not have: as Physical has them.
	ChainOrder map[string][]string
	// SmallCellsFirst makes a gang use the smaller of cells that are as full as each other, so that
	// large ones stay whole for those who need them. The published scheduler has them in order of its
	// lists, the large ones first.
	SmallCellsFirst bool
}

// levels are the types of a chain, upwards from the device.
func (c *Config) levels(chain string) []string {
	var down []string
	for name := chain; len(down) <= len(c.Types); {
		down = append(down, name)
		t, ok := c.Types[name]
		if !ok {
			break
		}
		name = t.Child
	}
	up := make([]string, len(down))
	for i, name := range down {
		up[len(down)-1-i] = name
	}
	return up
}
