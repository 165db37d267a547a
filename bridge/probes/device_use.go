package probes

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// useOnDevice returns what the job does on the device of the reading, of which these are all processes and all jobs.
func (t *nodeJobs) useOnDevice(r *Reading, whole bridge.DeviceUse, job int64, procs []nodeprobe.Process, jobs []int64) *bridge.DeviceUse {
	u := whole
	u.Node, u.Device = r.Node, r.UUID
	u.Neighbours = slices.DeleteFunc(slices.Clone(jobs), func(other int64) bool { return other == job })
	isOwn := func(p *nodeprobe.Process) bool { return t.jobOfProcess(p.Job) == job }
	if len(jobs) > 1 || slices.ContainsFunc(procs, func(p nodeprobe.Process) bool { return !isOwn(&p) }) {
		busy, memBusy := nodeprobe.UseOfProcesses(procs, isOwn)
		u.Busy, u.MemBusy = validUtilisation(busy), validUtilisation(memBusy)
	}
	if r.IsSick {
		u.Busy, u.MemBusy = policy.OptionalValue{}, policy.OptionalValue{}
	}
	for i := range procs {
		switch p := &procs[i]; {
		case !isOwn(p):
		case p.MemMB == 0:
			u.MemMB = policy.OptionalValue{}
			return &u
		default:
			u.MemMB = policy.KnownValue(u.MemMB.Value + float64(p.MemMB))
		}
	}
	return &u
}

// wholeUse is what is seen of a device as a whole.
func wholeUse(busy, memBusy, used, total nodeprobe.OptionalValue) bridge.DeviceUse {
	return bridge.DeviceUse{Busy: validUtilisation(busy), MemBusy: validUtilisation(memBusy), UsedMB: policy.OptionalValue(used), TotalMB: policy.OptionalValue(total)}
}

// usesByJob returns what jobs do on each of their devices.
func usesByJob(seen []Reading) map[policy.JobID][]bridge.DeviceUse {
	out := map[policy.JobID][]bridge.DeviceUse{}
	for i := range seen {
		if r := &seen[i]; r.Job != 0 && r.use != nil {
			out[r.Job] = append(out[r.Job], *r.use)
		}
	}
	return out
}

// newProfileReports returns what new samples add to what is known of running jobs.
func newProfileReports(v *slurm.View, fresh []Reading) []bridge.ProfileReport {
	uses := usesByJob(fresh)
	var out []bridge.ProfileReport
	for i := range v.Jobs {
		j := &v.Jobs[i]
		on := uses[policy.JobID(j.ID)]
		if len(on) == 0 || !j.IsRunning() {
			continue
		}
		r := bridge.ProfileReport{Job: policy.JobID(j.ID), User: j.User, Class: bridge.SpeedClass(j.Directive.Class, j.Name), At: v.At.UTC()}
		if sumUses(&r, on, len(on) == countDevices(heldDevices(j, v))); r.MemMB > 0 || r.Busy.Known {
			out = append(out, r)
		}
	}
	return out
}

// sumUses sums what a job does on its devices. How busy it keeps them says something of a job that was alone on all of
// them, and only where all were seen.
func sumUses(r *bridge.ProfileReport, on []bridge.DeviceUse, all bool) {
	busy, memBusy := policy.KnownValue(0), policy.KnownValue(0)
	for i := range on {
		u := &on[i]
		r.MemMB = max(r.MemMB, int64(u.MemMB.Value))
		all = all && len(u.Neighbours) == 0
		busy, memBusy = addShare(busy, u.Busy, len(on)), addShare(memBusy, u.MemBusy, len(on))
	}
	if all && busy.Known && memBusy.Known {
		r.Busy, r.MemBusy = busy, memBusy
	}
}

// addShare adds one of n values to their mean.
func addShare(mean, value policy.OptionalValue, n int) policy.OptionalValue {
	if !mean.Known || !value.Known {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(mean.Value + value.Value/float64(n))
}

// heldDevices returns the GPUs that a running job holds, with those of which it has shards: a shard limits neither cores
// nor memory, so that a job without neighbours has the whole GPU. MPS limits the cores, and is no GPU.
func heldDevices(j *slurm.Job, v *slurm.View) []slurm.DeviceHold {
	held := j.HeldDevices(v.Node)
	if len(held) > 0 || slices.ContainsFunc(j.GresDetail, holdsMPS) {
		return held
	}
	for _, h := range shares.Held(j, v.Node) {
		held = append(held, slurm.DeviceHold{Node: h.Node, GRES: slurm.GRES{Name: "gpu", Type: h.GPUType, Count: 1}})
	}
	return held
}

func holdsMPS(l slurm.GRESList) bool {
	return slices.ContainsFunc(l.List, func(g slurm.GRES) bool { return g.Name == "mps" })
}

// countDevices returns how many GPUs those are.
func countDevices(held []slurm.DeviceHold) int {
	n := 0
	for _, h := range held {
		n += h.Count
	}
	return n
}
