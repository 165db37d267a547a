package probes

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/idle"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// Reading is what one GPU or MIG slice showed at one moment of one job on it. A
// GPU that jobs share has a reading for each.
type Reading struct {
	At               time.Time
	Node, UUID, Type string                          // the type as Slurm calls it; as the driver does where Slurm has none for it
	Job              policy.JobID                    // 0: none
	Busy             policy.OptionalValue            // utilisation of the GPU, 0..1
	MemoryShare      policy.OptionalValue            // share of its memory used, 0..1
	ValueByColumn    map[string]policy.OptionalValue `json:"Values"` // its other numbers that are kept, by ValueColumns; absent: unknown
	ProcessCount     policy.OptionalValue            `json:"Procs"`  // the job's processes on it; 0: it holds it without using it
	JobsOnGPU        int                             // jobs on it
	IsSick           bool                            `json:"Sick"` // nothing should be placed on it
	Throttled        policy.OptionalValue            // above 0: heat or its supply slows it down

	use         *bridge.DeviceUse // of the job; nil: of none
	processWork float64           // most of the time since the last look in which one process on it computed or used the memory, 0..1
}

// ValueColumns returns the names of the numbers in ValueByColumn, in the order in
// which the probe declares them.
func ValueColumns() []string {
	var out []string
	for _, m := range nodeprobe.Metrics {
		if m.StoredColumn != "" {
			out = append(out, m.StoredColumn)
		}
	}
	return out
}

// storedValues returns the GPU's known numbers by their columns.
func storedValues(g *nodeprobe.GPU) map[string]policy.OptionalValue {
	out := map[string]policy.OptionalValue{}
	for i := range nodeprobe.Metrics {
		if m := &nodeprobe.Metrics[i]; m.StoredColumn != "" && m.ValueOf(g).Known {
			out[m.StoredColumn] = policy.OptionalValue(m.ValueOf(g))
		}
	}
	return out
}

// faultThrottleReasons are the reasons of throttling that the site has not set itself.
var faultThrottleReasons = []string{"hw_slowdown", "hw_thermal", "power_brake", "sw_thermal"}

// readingsOfNode lists what a sample shows, by GPU and job. of knows the node's jobs, and
// configured are its GPUs by Slurm's types, by which what is measured is told from what
// jobs held.
func readingsOfNode(node string, s *nodeprobe.Sample, configured []slurm.GRES, of *nodeJobs) []Reading {
	var out []Reading
	for i := range s.GPUs {
		g := &s.GPUs[i]
		base := Reading{At: s.At, Node: node, UUID: g.UUID, Type: slurmType(device{modelName: g.Model}, configured), Busy: validUtilisation(g.Busy), MemoryShare: memoryShare(g.MemUsedMB, g.MemTotalMB),
			ValueByColumn: storedValues(g), IsSick: g.SickReason != "", Throttled: throttledMeasure(g)}
		if base.IsSick {
			base.Busy = policy.OptionalValue{} // its idleness is no job's
		}
		if !g.IsMIG {
			whole := wholeUse(g.Busy, g.MemBusy, g.MemUsedMB, g.MemTotalMB)
			out = append(out, of.splitReadingByJob(base, whole, g.ProcessesKnown, g.Processes, of.jobsHolding(g))...)
			continue
		}
		for j := range g.Slices {
			p := &g.Slices[j]
			slice := base
			slice.UUID, slice.Type = p.UUID, slurmType(device{modelName: g.Model, migProfile: p.Profile}, configured)
			slice.Busy, slice.ValueByColumn, slice.MemoryShare = policy.OptionalValue{}, nil, memoryShare(p.MemUsedMB, p.MemTotalMB)
			whole := wholeUse(nodeprobe.OptionalValue{}, nodeprobe.OptionalValue{}, p.MemUsedMB, p.MemTotalMB)
			out = append(out, of.splitReadingByJob(slice, whole, g.ProcessesKnown, processesOnSlice(g.Processes, p.UUID), nil)...)
		}
	}
	return out
}

func processesOnSlice(procs []nodeprobe.Process, slice string) []nodeprobe.Process {
	var out []nodeprobe.Process
	for _, p := range procs {
		if p.SliceUUID == slice {
			out = append(out, p)
		}
	}
	return out
}

func memoryShare(used, total nodeprobe.OptionalValue) policy.OptionalValue {
	if !used.Known || !total.Known || total.Value <= 0 {
		return policy.OptionalValue{}
	}
	return validUtilisation(nodeprobe.KnownValue(used.Value / total.Value))
}

func throttledMeasure(g *nodeprobe.GPU) policy.OptionalValue {
	switch {
	case g.Throttle == nil:
		return policy.OptionalValue{}
	case slices.ContainsFunc(g.Throttle.Reasons, func(r string) bool { return slices.Contains(faultThrottleReasons, r) }):
		return policy.KnownValue(1)
	}
	return policy.KnownValue(0)
}

// splitReadingByJob splits a device by the jobs on it: those with processes there, and those
// that Slurm gave it to.
func (t *nodeJobs) splitReadingByJob(base Reading, whole bridge.DeviceUse, known bool, procs []nodeprobe.Process, holders []int64) []Reading {
	count := map[int64]int{}
	for _, p := range procs {
		if job := t.jobOfProcess(p.Job); job != 0 {
			count[job]++
		}
	}
	jobs := holders
	for job := range count {
		if !slices.Contains(jobs, job) {
			jobs = append(jobs, job)
		}
	}
	slices.SortFunc(jobs, cmp.Compare)
	base.JobsOnGPU = len(jobs)
	for i := range procs {
		base.processWork = max(base.processWork, procs[i].Busy.Value, procs[i].MemBusy.Value)
	}
	if len(jobs) == 0 {
		return []Reading{base.withJob(0, len(procs), known)}
	}
	var out []Reading
	for _, job := range jobs {
		r := base.withJob(job, count[job], known)
		r.use = t.useOnDevice(&base, whole, job, procs, jobs)
		out = append(out, r)
	}
	return out
}

// withJob is the device with one job. No process of the job's is told from no answer,
// and from processes whose job is not known.
func (s Reading) withJob(job int64, procs int, known bool) Reading {
	s.Job = policy.JobID(job)
	if known {
		s.ProcessCount = policy.KnownValue(float64(procs))
	}
	return s
}

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

// progressIsWork is how long a job that reported progress counts as working, whatever its GPUs show. Who reports what is not so keeps
// GPUs that he holds anyway: reports count here that are believed in nothing else.
const progressIsWork = 10 * time.Minute

// watchIdle notes which GPUs of running jobs do no work, and tells of each job for how long all of its GPUs have not.
func (p *Probes) watchIdle(v *slurm.View, seen []Reading, newest map[int64]*nodeprobe.ProgressReport) {
	running := map[int64]*slurm.Job{}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.State == "RUNNING" {
			running[j.ID] = j
		}
	}
	strays := nodesWithStrayWork(seen)
	byJob := map[int64][]idle.Reading{}
	var all []idle.Reading
	for i := range seen {
		r := &seen[i]
		j := running[int64(r.Job)]
		if j == nil || r.use == nil {
			continue
		}
		x := idle.Reading{GPU: idle.GPU{Job: j.ID, Restarts: j.Restarts, Node: r.Node, Device: r.UUID}, At: r.At, Busy: r.Busy, MemBusy: r.use.MemBusy, IsShared: r.JobsOnGPU > 1}
		if report := newest[j.ID]; strays[r.Node] || !r.ProcessCount.Known || r.processWork >= idle.BusyShare || report != nil && report.AgeSeconds < progressIsWork.Seconds() {
			x.Busy = policy.OptionalValue{}
		}
		all, byJob[x.Job] = append(all, x), append(byJob[x.Job], x)
	}
	p.idle = p.idle.Without(func(g idle.GPU, since time.Time) bool {
		j := running[g.Job]
		return j == nil || j.Restarts != g.Restarts || j.SuspendTime.After(since)
	}).Read(all, p.now())
	for id, j := range running {
		if use, known := p.useByJob[id]; known {
			use.IdleFor = p.idle.IdleFor(byJob[id], j.GPUCount())
			p.useByJob[id] = use
		}
	}
}

// nodesWithStrayWork are the nodes on which a GPU works that Slurm gave to no job, as far as is known: Slurm's numbers of GPUs may
// be others than the driver's there, and the work that of any job.
func nodesWithStrayWork(seen []Reading) map[string]bool {
	out := map[string]bool{}
	for i := range seen {
		if r := &seen[i]; r.Job == 0 && r.Busy.Known && r.Busy.Value >= idle.BusyShare {
			out[r.Node] = true
		}
	}
	return out
}
