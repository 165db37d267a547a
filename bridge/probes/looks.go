package probes

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// maxLooks is how many looks at a job beside its neighbours are kept, after the first.
const maxLooks = 60

// neighbourLooks keeps looks at the jobs that share GPUs, by run, since each has the neighbours it has now.
type neighbourLooks map[runKey][]bridge.NeighbourLook

// look adds what a view with new samples shows of jobs that have neighbours, and forgets all others.
func (l neighbourLooks) look(v *slurm.View, fresh []Reading, uses map[policy.JobID][]bridge.DeviceUse, newest map[int64]*nodeprobe.ProgressReport) neighbourLooks {
	isNew := map[policy.JobID]bool{}
	for i := range fresh {
		isNew[fresh[i].Job] = true
	}
	out := neighbourLooks{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		on, key := uses[policy.JobID(j.ID)], runKey{j.ID, j.Restarts}
		neighbours := neighboursOn(on)
		if j.State != "RUNNING" || len(neighbours) == 0 {
			continue
		}
		looks := l[key]
		if len(looks) > 0 && !slices.Equal(looks[0].Neighbours, neighbours) {
			looks = nil
		}
		if isNew[policy.JobID(j.ID)] {
			looks = append(slices.Clip(looks), newLook(v, j, on, neighbours, looks, newest[j.ID]))
		}
		if len(looks) > maxLooks { // the first says since when
			looks = slices.Delete(slices.Clone(looks), 1, 2)
		}
		if len(looks) > 0 {
			out[key] = looks
		}
	}
	return out
}

// newLook is what is seen of a job on its GPUs now.
func newLook(v *slurm.View, j *slurm.Job, on []bridge.DeviceUse, neighbours []int64, before []bridge.NeighbourLook, r *nodeprobe.ProgressReport) bridge.NeighbourLook {
	out := bridge.NeighbourLook{At: v.At, Neighbours: neighbours, Busy: policy.KnownValue(0)}
	for i := range on {
		u := &on[i]
		out.Busy = addShare(out.Busy, u.Busy, len(on))
		if u.UsedMB.Known && u.TotalMB.Value > 0 {
			out.MemShare = policy.KnownValue(max(out.MemShare.Value, u.UsedMB.Value/u.TotalMB.Value))
		}
	}
	speed := speedFromReport(r, j, v)
	if speed == nil || len(before) == 0 {
		return out
	}
	if at := v.At.Add(-time.Duration(r.AgeSeconds * float64(time.Second))); at.After(before[0].At) {
		out.Speed, out.SpeedAt = &speed.SpeedPoint, r.ReceivedAt.UTC()
	}
	return out
}

// neighboursOn returns the other jobs on any of the devices, ascending.
func neighboursOn(on []bridge.DeviceUse) []int64 {
	var out []int64
	for i := range on {
		out = append(out, on[i].Neighbours...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// addLooks tells of each job that shares GPUs what was seen of it beside its neighbours. Its speed there is not that of
// what it holds.
func (p *Probes) addLooks() {
	for key, looks := range p.looks {
		if use, ok := p.useByJob[key.job]; ok {
			use.Shared, use.Speed = looks, nil
			p.useByJob[key.job] = use
		}
	}
}
