package workload

import (
	"fairbridge/policy"
)

// NodeShape says how the job's owner asks Slurm for its GPUs: so many on each of so many nodes
// where it fills nodes, or fits one; perNode is 0 where only the total is asked for, over at
// least nodes.
func (j *Job) NodeShape(nodes []policy.Node) (count, perNode int) {
	per, _ := j.CountUsableGPUs(nodes)
	switch {
	case per <= 0:
		return 1, 0
	case j.NodeCount > 1 && j.GPUs%j.NodeCount == 0 && j.GPUs/j.NodeCount <= per && j.NodeCount <= len(nodes):
		return j.NodeCount, j.GPUs / j.NodeCount
	case j.GPUs <= per:
		return 1, j.GPUs
	case j.GPUs%per == 0:
		return j.GPUs / per, per
	}
	return (j.GPUs + per - 1) / per, 0
}

// CountUsableGPUs returns the most GPUs of one type that the job can get on one node, and on all.
func (j *Job) CountUsableGPUs(nodes []policy.Node) (onNode, all int) {
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			if nodes[i].DownReason == "" && j.CanRunOn(d.Type) {
				onNode = max(onNode, d.Count-d.SickCount)
				all += d.Count - d.SickCount
			}
		}
	}
	return onNode, all
}

// CanRunOn reports whether the job can use GPUs of the type.
func (j *Job) CanRunOn(gpuType string) bool {
	if j.GPUType != "" && j.GPUType != gpuType {
		return false
	}
	return j.Speeds == nil || j.Speeds[gpuType] > 0
}
