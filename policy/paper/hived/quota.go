package hived

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"fairbridge/policy"
	"fairbridge/policy/cells"
)

// quota is a number of cells of an account.
type quota struct {
	account      string
	number, size int
	gpuType      string // "": the first that has such cells
}

var quotaText = regexp.MustCompile(`^([^=]+)=([0-9]+)x([0-9]+)(?::(\S+))?$`)

// readQuotas reads the cells of accounts.
func readQuotas(texts []string) ([]quota, error) {
	var out []quota
	for _, text := range texts {
		m := quotaText.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("parameter cells: %q is not the cells of an account; write account=4x8 for four cells of 8 GPUs, or account=4x8:a100", text)
		}
		q := quota{account: m[1], gpuType: m[4]}
		var err, errSize error
		q.number, err = strconv.Atoi(m[2])
		q.size, errSize = strconv.Atoi(m[3])
		if err != nil || errSize != nil || q.number < 1 || q.size < 1 || q.number > 1e6 || q.size > 1e4 {
			return nil, fmt.Errorf("parameter cells: %q: the number of cells is 1 to 1000000, their size 1 to 10000 GPUs", text)
		}
		out = append(out, q)
	}
	return out, nil
}

// chainName is the type of a whole node of so many devices.
func chainName(gpuType string, devices int) string { return fmt.Sprintf("%s*%d", gpuType, devices) }

// cellName is the type of so many buddies of it.
func cellName(gpuType string, devices, size int) string {
	switch size {
	case devices:
		return chainName(gpuType, devices)
	case 1:
		return gpuType
	}
	return fmt.Sprintf("%s*%d/%d", gpuType, devices, size)
}

// describeNodes returns a cluster's nodes as cells, and their virtual clusters, all without quota.
func describeNodes(s *policy.Snapshot) cells.Config {
	c := cells.Config{Types: map[string]cells.Type{}, SmallCellsFirst: true}
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if d.Count == 0 || !d.IsWholeGPU() {
				continue
			}
			addTypes(c.Types, d)
			p := cells.Physical{Type: chainName(d.Type, d.Count), Node: s.Nodes[i].Name}
			for index := range d.Count {
				p.Devices = append(p.Devices, index)
			}
			c.Physical = append(c.Physical, p)
		}
	}
	slices.SortStableFunc(c.Physical, func(a, b cells.Physical) int { return len(a.Devices) - len(b.Devices) })
	return c
}

// addTypes adds the types of a node's cells: halves, quarters and so on while they are whole.
func addTypes(types map[string]cells.Type, d policy.NodeDevices) {
	if d.Count == 1 {
		types[chainName(d.Type, 1)] = cells.Type{Child: d.Type, Count: 1, IsNode: true}
		return
	}
	size, isNode := d.Count, true
	for size > 1 {
		below := 1
		if size%2 == 0 {
			below = size / 2
		}
		types[cellName(d.Type, d.Count, size)] = cells.Type{Child: cellName(d.Type, d.Count, below), Count: size / below, IsNode: isNode}
		size, isNode = below, false
	}
}
