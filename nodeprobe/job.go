package nodeprobe

import (
	"cmp"
	"slices"
)

// Job is what one Slurm job uses of the node's GPUs.
type Job struct {
	ProcessJob
	GPUs  []int   `json:"gpus"`            // indexes, sorted
	Busy  Measure `json:"busy,omitzero"`   // mean of its GPUs, 0..1; unknown when one is shared, divided or unknown
	MemMB Measure `json:"mem_mb,omitzero"` // of its processes; unknown when one is
}

// jobKey tells jobs apart: what is known of both must agree.
type jobKey struct {
	job   int64
	sluid string
}

// JobsOnGPUs adds the processes up by job.
func JobsOnGPUs(gpus []GPU) []Job {
	found := map[jobKey]*Job{}
	for i := range gpus {
		g := &gpus[i]
		on := ProcessJobsOn(g)
		for _, o := range on {
			j := findOrAddJob(found, o)
			j.addGPU(g, len(on) == 1 && allProcessesHaveJobs(g))
		}
		for _, p := range g.Procs {
			if p.Owner.Known() {
				found[jobKeyOf(p.Owner)].addMemory(p.MemMB)
			}
		}
	}
	return sortedJobs(found)
}

// ProcessJobsOn returns the jobs with a process on the GPU, each once, sorted.
func ProcessJobsOn(g *GPU) []ProcessJob {
	var out []ProcessJob
	for _, p := range g.Procs {
		o := ProcessJob{Job: p.Owner.Job, SLUID: p.Owner.SLUID, By: p.Owner.By}
		if o.Known() && !slices.ContainsFunc(out, func(b ProcessJob) bool { return jobKeyOf(b) == jobKeyOf(o) }) {
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
	return !slices.ContainsFunc(g.Procs, func(p Process) bool { return !p.Owner.Known() })
}

func findOrAddJob(found map[jobKey]*Job, o ProcessJob) *Job {
	j := found[jobKeyOf(o)]
	if j == nil {
		j = &Job{ProcessJob: o, Busy: Known(0), MemMB: Known(0)}
		found[jobKeyOf(o)] = j
	}
	return j
}

// addGPU counts a GPU. Its utilisation is the job's only when no other job is on it.
func (j *Job) addGPU(g *GPU, alone bool) {
	n := float64(len(j.GPUs))
	j.GPUs = append(j.GPUs, g.Index)
	if !alone || !g.Busy.Known || !j.Busy.Known {
		j.Busy = Measure{}
		return
	}
	j.Busy.Value = (j.Busy.Value*n + g.Busy.Value) / (n + 1)
}

func (j *Job) addMemory(mb int64) {
	if mb == 0 || !j.MemMB.Known {
		j.MemMB = Measure{}
		return
	}
	j.MemMB.Value += float64(mb)
}

func sortedJobs(found map[jobKey]*Job) []Job {
	var out []Job
	for _, j := range found {
		slices.Sort(j.GPUs)
		out = append(out, *j)
	}
	slices.SortFunc(out, func(a, b Job) int { return compareProcessJobs(a.ProcessJob, b.ProcessJob) })
	return out
}
