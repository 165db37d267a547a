package rounds

import (
	"slices"

	"fairbridge/policy/engine"
)

// CountGPUsByType counts the healthy devices of nodes that are up; types are all there
// are.
func CountGPUsByType(r *engine.Round, types []string) []float64 {
	n := make([]float64, len(types))
	for _, c := range r.ListCapacities(nil) {
		n[slices.Index(types, c.GPUType)] = float64(c.Healthy)
	}
	return n
}
