package chaos

import (
	"context"

	"fairbridge/bridge"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// memoryProbes are node probes that tell how much memory GPUs have, and nothing else.
type memoryProbes struct{}

// newProbes returns the probes of a site.
func newProbes(s site.Site) bridge.Probes {
	if s.SharesGPUs {
		return memoryProbes{}
	}
	return bridge.NoProbes{}
}

// Sample implements bridge.Probes.
func (memoryProbes) Sample(_ context.Context, v *slurm.View) (map[string][]policy.NodeDevices, error) {
	out := map[string][]policy.NodeDevices{}
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			out[v.Nodes[i].Name] = append(out[v.Nodes[i].Name], policy.NodeDevices{Type: g.Type, Count: g.Count, MemMB: site.GPUMemMB})
		}
	}
	return out, nil
}
