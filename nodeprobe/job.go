package nodeprobe

import (
	"cmp"
	"slices"
)

// JobUse is what one Slurm job uses of the node's GPUs.
type JobUse struct {
	ProcessJob
	GPUIndexes []int         `json:"gpus"`            // indexes, sorted
	Busy       OptionalValue `json:"busy,omitzero"`   // mean of its GPUs, 0..1; of a shared one what its own processes do; unknown when one is divided or unknown
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
			busy := g.Busy
			if len(on) > 1 || !allProcessesHaveJobs(g) {
				busy, _ = UseOfProcesses(g.Processes, func(p *Process) bool { return jobKeyOf(p.Job) == jobKeyOf(o) })
			}
			j.addGPU(g.Index, busy)
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

// addGPU counts a GPU and how busy the job keeps it.
func (j *JobUse) addGPU(index int, busy OptionalValue) {
	n := float64(len(j.GPUIndexes))
	j.GPUIndexes = append(j.GPUIndexes, index)
	if !busy.Known || !j.Busy.Known {
		j.Busy = OptionalValue{}
		return
	}
	j.Busy.Value = (j.Busy.Value*n + busy.Value) / (n + 1)
}

// UseOfProcesses returns what those of the processes that are meant do together, shares of the time, 0..1; unknown when
// there is none or what one of them does is not known.
func UseOfProcesses(procs []Process, isMeant func(*Process) bool) (busy, memBusy OptionalValue) {
	for i := range procs {
		p := &procs[i]
		if !isMeant(p) {
			continue
		}
		if !p.Busy.Known || !p.MemBusy.Known {
			return OptionalValue{}, OptionalValue{}
		}
		busy = KnownValue(min(busy.Value+p.Busy.Value, 1))
		memBusy = KnownValue(min(memBusy.Value+p.MemBusy.Value, 1))
	}
	return busy, memBusy
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
