package sia

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// kind is a GPU type of the round.
type kind struct {
	gpuType   string
	perNode   int // devices of a whole node: the most of any node that is up
	fullNodes int // that have so many
	capacity  int // devices that are free or held by jobs that may be stopped
}

// listKinds returns the types of the nodes, in the order of the round.
func listKinds(r *engine.Round) []kind {
	var kinds []kind
	for _, gpuType := range r.GPUTypes() {
		kinds = append(kinds, kind{gpuType: gpuType, capacity: r.FreePool.TotalFree(gpuType)})
	}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.DownReason == "" {
			for _, d := range n.GPUs {
				kindOf(kinds, d.Type).addNode(d.Count - d.SickCount)
			}
		}
	}
	for _, e := range r.RunningEntries() {
		if e.IsUnstoppable {
			continue
		}
		for _, slot := range e.On {
			if k := kindOf(kinds, slot.Type); k != nil {
				k.capacity += slot.Count
			}
		}
	}
	for i := range kinds {
		kinds[i].capacity = max(kinds[i].capacity, 0)
	}
	return kinds
}

func kindOf(kinds []kind, gpuType string) *kind {
	for i := range kinds {
		if kinds[i].gpuType == gpuType {
			return &kinds[i]
		}
	}
	return nil
}

func (k *kind) addNode(devices int) {
	switch {
	case devices > k.perNode:
		k.perNode, k.fullNodes = devices, 1
	case devices == k.perNode:
		k.fullNodes++
	}
}

// sizes are the numbers of devices a job may have of the type: powers of two on part of a
// node, and whole nodes.
func (k *kind) sizes() []int {
	var sizes []int
	for n := 1; n < k.perNode; n *= 2 {
		sizes = append(sizes, n)
	}
	for n := 1; n <= k.fullNodes && k.perNode > 0; n++ {
		sizes = append(sizes, n*k.perNode)
	}
	return sizes
}

// fewestNodes is how many nodes so many devices take.
func (k *kind) fewestNodes(devices int) int {
	return (devices + max(k.perNode, 1) - 1) / max(k.perNode, 1)
}

// accepts reports whether the job may have devices of the type, and is not known to be unable
// to use them.
func accepts(r *engine.Round, j *policy.Job, gpuType string) bool {
	if !j.AcceptsType(gpuType) || gpuType != j.Ask.GPUs.Type && !slices.Contains(r.FreePool.WholeGPUTypes(), gpuType) {
		return false
	}
	if j.Training != nil && len(j.Training.Rates) > 0 {
		rate, known := j.Training.Rate(gpuType)
		return known && rate > 0
	}
	return true
}
