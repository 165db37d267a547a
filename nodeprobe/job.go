package nodeprobe

import (
	"cmp"
	"slices"
)

// JobUse is what one Slurm job uses of the node's GPUs.
type JobUse struct {
	ProcessJob
	GPUIndexes []int         `json:"gpus"`            // indexes, sorted
	Busy       OptionalValue `json:"busy,omitzero"`   // mean of its GPUs, 0..1; unknown when one is shared, divided or unknown
	MemMB      OptionalValue `json:"mem_mb,omitzero"` // of its processes; unknown when one is
}

// jobKey tells jobs apart: what is known of both must agree.
type jobKey struct {
	job   int64
	sluid string
}

// JobsOnGPUs adds the processes up by job.
func JobsOnGPUs(gpus []GPU) []JobUse {
	found := map[jobKey]*JobUse{}
	for i := range gpus {
		g := &gpus[i]
		on := ProcessJobsOn(g)
		for _, o := range on {
			j := findOrAddJobUse(found, o)
			j.addGPU(g, len(on) == 1 && allProcessesHaveJobs(g))
		}
		for _, p := range g.Processes {
			if p.Job.IsKnown() {
				found[jobKeyOf(p.Job)].addMemoryMB(p.MemMB)
			}
		}
	}
	return sortJobUses(found)
}

// ProcessJobsOn returns the jobs with a process on the GPU, each once, sorted.
func ProcessJobsOn(g *GPU) []ProcessJob {
	var out []ProcessJob
	for _, p := range g.Processes {
		o := ProcessJob{Job: p.Job.Job, SLUID: p.Job.SLUID, KnownBy: p.Job.KnownBy}
		if o.IsKnown() && !slices.ContainsFunc(out, func(b ProcessJob) bool { return jobKeyOf(b) == jobKeyOf(o) }) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, compareProcessJobs)
	return out
}

func jobKeyOf(o ProcessJob) jobKey { return jobKey{o.Job, o.SLUID} }

func compareProcessJobs(a, b ProcessJob) int {
	return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.SLUID, b.SLUID))
}

func allProcessesHaveJobs(g *GPU) bool {
	return !slices.ContainsFunc(g.Processes, func(p Process) bool { return !p.Job.IsKnown() })
}

func findOrAddJobUse(found map[jobKey]*JobUse, o ProcessJob) *JobUse {
	j := found[jobKeyOf(o)]
	if j == nil {
		j = &JobUse{ProcessJob: o, Busy: KnownValue(0), MemMB: KnownValue(0)}
		found[jobKeyOf(o)] = j
	}
	return j
}

// addGPU counts a GPU. Its utilisation is the job's only when no other job is on it.
func (j *JobUse) addGPU(g *GPU, alone bool) {
	n := float64(len(j.GPUIndexes))
	j.GPUIndexes = append(j.GPUIndexes, g.Index)
	if !alone || !g.Busy.Known || !j.Busy.Known {
		j.Busy = OptionalValue{}
		return
	}
	j.Busy.Value = (j.Busy.Value*n + g.Busy.Value) / (n + 1)
}

func (j *JobUse) addMemoryMB(mb int64) {
	if mb == 0 || !j.MemMB.Known {
		j.MemMB = OptionalValue{}
		return
	}
	j.MemMB.Value += float64(mb)
}

func sortJobUses(found map[jobKey]*JobUse) []JobUse {
	var out []JobUse
	for _, j := range found {
		slices.Sort(j.GPUIndexes)
		out = append(out, *j)
	}
	slices.SortFunc(out, func(a, b JobUse) int { return compareProcessJobs(a.ProcessJob, b.ProcessJob) })
	return out
}
