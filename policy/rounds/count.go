package rounds

import (
	"slices"

	"fairbridge/policy/engine"
)

// CountGPUsByType counts the healthy devices of nodes that are up; types are all there
// are.
func CountGPUsByType(r *engine.Round, types []string) []float64 {
	n := make([]float64, len(types))
	for i := range r.Nodes {
		if r.Nodes[i].DownReason != "" {
			continue
		}
		for _, d := range r.Nodes[i].GPUs {
			k := slices.Index(types, d.Type)
			n[k] += float64(max(d.Count-d.SickCount, 0))
		}
	}
	return n
}
