package intake

import (
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// A GPU of which Slurm gave out shares goes to no job as a whole until the last of them is given back. In
// mode share jobs that opted in are there each for itself, on a device that is named. Of other GPUs
// the job that ends last holds it in the snapshot, running and not to be stopped; the others on it
// are no part of the snapshot. Thus each GPU counts once, and is free when it is.

// sharedGPUs are the GPUs that a job stands for.
type sharedGPUs struct {
	on      policy.Alloc
	percent int  // of these GPUs that its own shares are
	isKnown bool // it stands for itself alone, beside others that accept neighbours too
}

// asGPUs returns what the job is charged: its own part of the GPUs.
func (s sharedGPUs) asGPUs() policy.GPUs {
	g := policy.GPUs{Type: s.on.FirstType(), Count: s.on.Count()}
	if s.percent < 100 && !s.isKnown {
		g.PartPercent = s.percent
	}
	return g
}

// gpuKey is one GPU. Where Slurm does not tell which one a job holds, the job tells it from others.
type gpuKey struct {
	node   string
	device int
	job    int64
}

// shareHolder is a job with shares of a GPU.
type shareHolder struct {
	job  *slurm.Job
	hold shares.Hold
}

// holdersOfSharedGPUs returns the GPUs of the nodes of which shares are given out, by the jobs
// that stand for them.
func holdersOfSharedGPUs(a *snapshotAssembler) map[int64]sharedGPUs {
	holders, order := listShareHolders(a)
	out := map[int64]sharedGPUs{}
	for _, key := range order {
		if all := holders[key]; !slices.ContainsFunc(all, func(h shareHolder) bool { return !standsForItself(a, h) }) {
			for _, h := range all {
				out[h.job.ID] = sharedGPUs{deviceOf(a.gpuNodeByName[h.hold.Node], h.hold), h.hold.Percent, true}
			}
			continue
		}
		c := slices.MaxFunc(holders[key], func(x, y shareHolder) int {
			return compareEnds(timeLimitEnd(x.job, a.View.At), timeLimitEnd(y.job, a.View.At))
		})
		out[c.job.ID] = sharedGPUs{addGPU(out[c.job.ID].on, c.hold), c.hold.Percent, false}
	}
	return out
}

// listShareHolders returns the running jobs with shares by GPU, and the GPUs in the order in which they were found.
func listShareHolders(a *snapshotAssembler) (holders map[gpuKey][]shareHolder, order []gpuKey) {
	holders = map[gpuKey][]shareHolder{}
	for i := range a.View.Jobs {
		j := &a.View.Jobs[i]
		if !j.IsRunning() || j.ID == 0 {
			continue
		}
		for n, h := range shares.Held(j, a.View.Node) {
			if a.gpuNodeByName[h.Node] == nil {
				continue
			}
			key := gpuKey{node: h.Node, device: h.Device}
			if h.Device == shares.UnknownDevice {
				key = gpuKey{h.Node, -1 - n, j.ID}
			}
			if len(holders[key]) == 0 {
				order = append(order, key)
			}
			holders[key] = append(holders[key], shareHolder{j, h})
		}
	}
	return holders, order
}

// compareEnds compares two ends; zero is without end, later than all.
func compareEnds(a, b time.Time) int {
	switch {
	case endsAfter(a, b):
		return 1
	case endsAfter(b, a):
		return -1
	}
	return 0
}

// endsAfter reports whether an end is later than another; zero is without end.
func endsAfter(a, b time.Time) bool { return !b.IsZero() && (a.IsZero() || a.After(b)) }

// addGPU adds one GPU to what is held; it stays sorted.
func addGPU(on policy.Alloc, h shares.Hold) policy.Alloc {
	slot := policy.Slot{Node: h.Node, Type: h.GPUType, Count: 1}
	i, ok := slices.BinarySearchFunc(on, slot, policy.Slot.Compare)
	if ok {
		on[i].Count++
		return on
	}
	return slices.Insert(on, i, slot)
}

// askWithSharedGPUs returns what the job asks for or, where it stands for shared GPUs, what it is charged of them.
// Where shards of ours stand in its record, it asks what its owner did.
func askWithSharedGPUs(a *snapshotAssembler, j *slurm.Job) (policy.Ask, error) {
	ask, err := askFromJob(j)
	if shared, ok := a.sharedGPUsByJob[j.ID]; ok {
		ask.GPUs = shared.asGPUs()
	}
	if in := a.sizeIntent(j); in != nil && in.Edit.Kind == slurm.EditSetShards && a.sharedGPUsByJob[j.ID].isWanted(j) {
		ask.GPUs = policy.GPUs{Type: in.Before.GPUType, Count: int(in.Before.GPUs)}
		ask.PerNode = ask.GPUs.Count
	}
	return ask, err
}

// isWanted reports whether the job counts with what its owner asked: it waits, or stands for itself.
func (s sharedGPUs) isWanted(j *slurm.Job) bool { return j.IsPending() || s.isKnown }
