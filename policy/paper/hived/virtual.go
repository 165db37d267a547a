package hived

import (
	"slices"
	"sort"
	"strings"

	"fairbridge/policy/cells"
)

// newCluster makes the cluster of the nodes with all virtual clusters, as far as the nodes have
// cells for them: those of the last of the list are left out first. Every account has one, if of no
// cells.
func newCluster(c cells.Config, quotas []quota, accounts []string) (*cells.Cluster, error) {
	for _, a := range accounts {
		c.VirtualClusters = append(c.VirtualClusters, cells.VirtualCluster{Name: a})
	}
	for _, q := range quotas {
		if chain, typ := q.find(&c); chain != "" {
			own := &c.VirtualClusters[slices.Index(accounts, q.account)].Cells
			*own = append(*own, cells.Quota{Chain: chain, Type: typ})
			number := &(*own)[len(*own)-1].Number
			*number = sort.Search(q.number, func(n int) bool {
				*number = n + 1
				return !c.Fits(chain)
			})
		}
	}
	return cells.New(c)
}

// find returns the chain with cells of the quota's size, the one of the smallest nodes first; "": there
// is none.
func (q *quota) find(c *cells.Config) (chain, typ string) {
	for _, p := range c.Physical {
		gpuType, _, _ := strings.Cut(p.Type, "*")
		if q.gpuType != "" && q.gpuType != gpuType {
			continue
		}
		name := cellName(gpuType, len(p.Devices), q.size)
		if _, ok := c.Types[name]; ok || name == gpuType {
			return p.Type, name
		}
	}
	return "", ""
}
