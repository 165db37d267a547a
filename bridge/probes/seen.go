package probes

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// Seen is a GPU or MIG slice, and a job on it, at one moment. A GPU that jobs
// share is seen once for each.
type Seen struct {
	At               time.Time
	Node, UUID, Type string         // the type as the driver calls it, with the slice's profile
	Job              int64          // 0: none
	Busy, Mem        policy.Measure // shares 0..1, of the whole device
	Watts            policy.Measure
	Procs            policy.Measure // the job's processes on it; 0: it holds it without using it
	Sharing          int            // jobs on it
	Sick             bool
	Throttled        policy.Measure // above 0: heat or its supply slows it down
}

// hot are the reasons of throttling that the site has not set itself.
var hot = []string{"hw_slowdown", "hw_thermal", "power_brake", "sw_thermal"}

// see lists what a sample shows, by GPU and job. of knows the node's jobs.
func see(node string, s *nodeprobe.Sample, of *tenants) []Seen {
	var out []Seen
	for i := range s.GPUs {
		g := &s.GPUs[i]
		base := Seen{At: s.At, Node: node, UUID: g.UUID, Type: g.Model, Busy: share(g.Busy), Mem: filled(g.MemUsedMB, g.MemTotalMB),
			Watts: policy.Measure(g.Watts), Sick: g.Sick != "", Throttled: throttled(g)}
		if base.Sick {
			base.Busy = policy.Measure{} // its idleness is no job's
		}
		if !g.MIG {
			out = append(out, of.on(base, g, g.Procs, of.holders(g))...)
			continue
		}
		for j := range g.Parts {
			p := &g.Parts[j]
			slice := base
			slice.UUID, slice.Type = p.UUID, g.Model+" MIG "+p.Profile
			slice.Busy, slice.Watts, slice.Mem = policy.Measure{}, policy.Measure{}, filled(p.MemUsedMB, p.MemTotalMB)
			out = append(out, of.on(slice, g, inside(g.Procs, p.UUID), nil)...)
		}
	}
	return out
}

func inside(procs []nodeprobe.Process, slice string) []nodeprobe.Process {
	var out []nodeprobe.Process
	for _, p := range procs {
		if p.Slice == slice {
			out = append(out, p)
		}
	}
	return out
}

func filled(used, total nodeprobe.Measure) policy.Measure {
	if !used.Known || !total.Known || total.Value <= 0 {
		return policy.Measure{}
	}
	return share(nodeprobe.Known(used.Value / total.Value))
}

func throttled(g *nodeprobe.GPU) policy.Measure {
	switch {
	case g.Throttle == nil:
		return policy.Measure{}
	case slices.ContainsFunc(g.Throttle.Reasons, func(r string) bool { return slices.Contains(hot, r) }):
		return policy.Known(1)
	}
	return policy.Known(0)
}

// on splits a device by the jobs on it: those with processes there, and those
// that Slurm gave it to.
func (t *tenants) on(base Seen, g *nodeprobe.GPU, procs []nodeprobe.Process, holders []int64) []Seen {
	count := map[int64]int{}
	for _, p := range procs {
		if job := t.jobOf(p.Owner); job != 0 {
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
	base.Sharing = len(jobs)
	if len(jobs) == 0 {
		return []Seen{base.by(0, len(procs), g.ProcsKnown)}
	}
	var out []Seen
	for _, job := range jobs {
		out = append(out, base.by(job, count[job], g.ProcsKnown))
	}
	return out
}

// by is the device with one job. No process of the job's is told from no answer,
// and from processes whose job is not known.
func (s Seen) by(job int64, procs int, known bool) Seen {
	s.Job = job
	if known {
		s.Procs = policy.Known(float64(procs))
	}
	return s
}
