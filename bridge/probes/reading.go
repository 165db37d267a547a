package probes

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
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
