package packs

import (
	"errors"
	"fmt"

	"fairbridge/policy"
)

// Cluster is which GPUs of equal nodes are free.
type Cluster struct {
	GPUsPerNode int
	GPUType     string
	free        []int // by node
}

// NewCluster returns the cluster of the nodes, which all must have the same number of GPUs of one
// type.
func NewCluster(nodes []policy.Node) (*Cluster, error) {
	c := &Cluster{}
	for i := range nodes {
		if len(nodes[i].GPUs) != 1 || i > 0 && (nodes[i].GPUs[0].Count != c.GPUsPerNode || nodes[i].GPUs[0].Type != c.GPUType) {
			return nil, fmt.Errorf("node %s: packs need nodes with the same number of GPUs of one type each", nodes[i].Name)
		}
		c.GPUsPerNode, c.GPUType = nodes[i].GPUs[0].Count, nodes[i].GPUs[0].Type
	}
	if c.GPUsPerNode <= 0 {
		return nil, errors.New("packs need a cluster with GPUs")
	}
	c.free = make([]int, len(nodes))
	c.Clear()
	return c, nil
}

// Clear frees all GPUs.
func (c *Cluster) Clear() {
	for i := range c.free {
		c.free[i] = c.GPUsPerNode
	}
}

// NodeCount is how many nodes there are.
func (c *Cluster) NodeCount() int { return len(c.free) }

// GPUCount is how many GPUs there are, free or not.
func (c *Cluster) GPUCount() int { return len(c.free) * c.GPUsPerNode }

// NodesFor is how many whole nodes a job of more GPUs than a node has takes.
func (c *Cluster) NodesFor(gpus int) int { return (gpus + c.GPUsPerNode - 1) / c.GPUsPerNode }

// Place takes so many GPUs of the first node that has them free; if no node has as many, of
// the first nodes that are wholly free. It reports whether there were enough, and else takes none.
func (c *Cluster) Place(gpus int) bool {
	if gpus > c.GPUsPerNode {
		return c.placeOnWholeNodes(gpus)
	}
	for i := range c.free {
		if c.free[i] >= gpus {
			c.free[i] -= gpus
			return true
		}
	}
	return false
}

func (c *Cluster) placeOnWholeNodes(gpus int) bool {
	var whole []int
	for i := range c.free {
		if c.free[i] == c.GPUsPerNode && len(whole) < c.NodesFor(gpus) {
			whole = append(whole, i)
		}
	}
	if len(whole) < c.NodesFor(gpus) {
		return false
	}
	for _, i := range whole {
		used := min(gpus, c.GPUsPerNode)
		c.free[i] -= used
		gpus -= used
	}
	return true
}
