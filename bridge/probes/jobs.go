package probes

import (
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
)

// nodeJobs are the running jobs of a node.
type nodeJobs struct {
	jobs            []*slurm.Job
	gpuIndicesByJob map[int64][]int // GPU numbers (of /dev/nvidiaN) by job; nil: not told
}

// jobsByNode returns the running jobs of each node.
func jobsByNode(v *slurm.View) map[string]*nodeJobs {
	out := map[string]*nodeJobs{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsRunning() {
			continue
		}
		for at, h := range j.Nodes.Names {
			t := out[h]
			if t == nil {
				t = &nodeJobs{gpuIndicesByJob: map[int64][]int{}}
				out[h] = t
			}
			t.jobs = append(t.jobs, j)
			if len(j.GresDetail) == len(j.Nodes.Names) && j.State == "RUNNING" {
				t.gpuIndicesByJob[j.ID] = gpuIndices(j.GresDetail[at])
			}
		}
	}
	return out
}

// gpuIndices returns the GPU numbers of a job's gres_detail on one node; nil when
// it does not tell them all.
func gpuIndices(detail slurm.GRESList) []int {
	var out []int
	for _, g := range detail.List {
		if g.Name != "gpu" && g.Name != "shard" && g.Name != "mps" {
			continue
		}
		if g.Name == "gpu" && len(g.DeviceIndexes) != g.Count {
			return nil
		}
		out = append(out, g.DeviceIndexes...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// jobOfProcess returns the running job of a process, 0 when it is of none here. What
// only the environment says must fit what Slurm runs on the node.
func (t *nodeJobs) jobOfProcess(o nodeprobe.ProcessJob) int64 {
	if t != nil {
		for _, j := range t.jobs {
			if j.ID == o.Job || j.SLUID != "" && j.SLUID == o.SLUID {
				return j.ID
			}
		}
	}
	if o.KnownBy == "environ" {
		return 0
	}
	return o.Job
}

// jobsHolding returns the jobs that Slurm gave the GPU to.
func (t *nodeJobs) jobsHolding(g *nodeprobe.GPU) []int64 {
	if t == nil || g.MinorNumber < 0 {
		return nil
	}
	var out []int64
	for _, j := range t.jobs {
		if slices.Contains(t.gpuIndicesByJob[j.ID], g.MinorNumber) {
			out = append(out, j.ID)
		}
	}
	return out
}
