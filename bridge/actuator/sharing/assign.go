package sharing

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// Assignment is on how many shards of a GPU of the node a job is to start, or why it cannot start beside others.
type Assignment struct {
	Node   string
	Shards int    // 0: none
	Why    string // "" with shards

	// HasNeighbours says that other jobs may be on its GPU: whether their owners still accept that, only a view tells in which
	// every record was read.
	HasNeighbours bool
}

// assigner walks the starts of a plan.
type assigner struct {
	plan     *policy.Plan
	snapshot *policy.Snapshot
	view     *slurm.View
	occupied map[nodeType][]*occupiedGPU
	starts   []Start      // on shards, of this cycle
	asking   []*slurm.Job // that wait for shards; nil: not looked for yet
	isBeside map[policy.JobID]bool
	out      map[policy.JobID]Assignment
}

// nodeType is the devices of a type on a node.
type nodeType struct{ node, gpuType string }

// IsBeside reports whether the plan starts the job on devices that others keep.
func IsBeside(d *policy.Decision, plan *policy.Plan, s *policy.Snapshot) bool {
	if d.Verb != policy.Start || d.Beside != 0 {
		return d.Verb == policy.Start
	}
	for _, slot := range d.On {
		if slot.Devices != 0 && slices.ContainsFunc(plan.Decisions, func(o policy.Decision) bool { return o.Job != d.Job && keepsOneOf(&o, slot, s) }) {
			return true
		}
	}
	return false
}

// keepsOneOf reports whether the decision leaves a running job one of the devices.
func keepsOneOf(d *policy.Decision, slot policy.Slot, s *policy.Snapshot) bool {
	j := s.Job(d.Job)
	return d.Verb != policy.Stop && d.Verb != policy.Move && j != nil && slices.ContainsFunc(j.On, func(h policy.Slot) bool {
		return h.Node == slot.Node && h.Type == slot.Type && h.Devices&slot.Devices != 0
	})
}

// Assign returns the jobs that the plan starts on shards, by their id, and those that it starts beside
// others and that cannot. First come jobs that start on a GPU of their own: each gets
// shards of it, so that others may join it, but where Slurm would rather put it beside one that it
// is not to join. Then those that join others.
func Assign(plan *policy.Plan, s *policy.Snapshot, v *slurm.View) map[policy.JobID]Assignment {
	a := &assigner{plan: plan, snapshot: s, view: v, occupied: map[nodeType][]*occupiedGPU{}, isBeside: map[policy.JobID]bool{}, out: map[policy.JobID]Assignment{}}
	var starts []*policy.Decision
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		p := s.Job(d.Job)
		if d.Verb != policy.Start || p == nil {
			continue
		}
		if a.isBeside[d.Job] = IsBeside(d, plan, s); p.Shareable || a.isBeside[d.Job] {
			starts = append(starts, d)
		}
	}
	slices.SortFunc(starts, func(x, y *policy.Decision) int { // those that have shards already keep them
		return cmp.Or(cmp.Compare(turn(a.isBeside[x.Job]), turn(a.isBeside[y.Job])), -cmp.Compare(turn(a.hasShards(x.Job)), turn(a.hasShards(y.Job))), cmp.Compare(x.Rank, y.Rank))
	})
	for _, d := range starts {
		x := a.assign(d, s.Job(d.Job))
		if x.Shards > 0 || a.isBeside[d.Job] {
			a.out[d.Job] = x
		}
	}
	return a.out
}

func turn(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hasShards reports whether the record of the job asks for shards.
func (a *assigner) hasShards(id policy.JobID) bool {
	j := a.view.Job(int64(id))
	return j != nil && shares.Requested(j)
}

// assign says on how many shards the job of the decision starts.
func (a *assigner) assign(dec *policy.Decision, p *policy.Job) Assignment {
	if len(dec.On) != 1 || dec.On[0].Count != 1 {
		return Assignment{Why: fmt.Sprintf("jobs share one GPU of one node, and it would have %v", dec.On)}
	}
	at := nodeType{dec.On[0].Node, dec.On[0].Type}
	d := devicesOfType(a.snapshot.Node(at.node), at.gpuType)
	if d == nil {
		return Assignment{Why: fmt.Sprintf("node %s has no GPU of type %s", at.node, at.gpuType)}
	}
	shards, why := Size(p, d)
	if why = cmp.Or(why, a.objection(p, at, d, shards), a.waitingObjection(p, at, d, shards)); why != "" {
		return Assignment{Why: why}
	}
	hasNeighbours := a.hasNeighbours(p, at, d, shards)
	out := a.place(dec, at, d, shards)
	out.HasNeighbours = out.Shards > 0 && hasNeighbours
	return out
}

// place notes the job on the GPU that Slurm would choose for it.
func (a *assigner) place(dec *policy.Decision, at nodeType, d *policy.NodeDevices, shards int) Assignment {
	gpus := a.gpusAt(at, d)
	i := slices.IndexFunc(gpus, func(g *occupiedGPU) bool { return g.hasRoom(shards, d.SharesPerGPU) })
	switch {
	case i >= 0 && !a.isBeside[dec.Job]:
		return Assignment{Why: "it is to have a GPU for itself, and Slurm would put it beside another job"}
	case i < 0 && a.isBeside[dec.Job]:
		return Assignment{Why: fmt.Sprintf("no GPU of node %s of which shards are given out has %d left, of %d", at.node, shards, d.SharesPerGPU)}
	case i < 0:
		i, gpus = len(gpus), append(gpus, &occupiedGPU{})
		a.occupied[at] = gpus
	}
	gpus[i].jobs, gpus[i].usedShards = append(gpus[i].jobs, int64(dec.Job)), gpus[i].usedShards+shards
	a.starts = append(a.starts, Start{int64(dec.Job), at.node, shards})
	return Assignment{Node: at.node, Shards: shards}
}

// objection says why Slurm could put the job beside others that it is not to be beside.
func (a *assigner) objection(p *policy.Job, at nodeType, d *policy.NodeDevices, shards int) string {
	for _, g := range a.gpusAt(at, d) {
		if g.hasRoom(shards, d.SharesPerGPU) {
			if why := g.objection(a.snapshot, p, d); why != "" {
				return why
			}
		}
	}
	return ""
}

func (a *assigner) gpusAt(at nodeType, d *policy.NodeDevices) []*occupiedGPU {
	gpus, ok := a.occupied[at]
	if !ok {
		gpus = occupiedGPUs(a.view, at.node, d)
		a.occupied[at] = gpus
	}
	return gpus
}

// OldRecordsReason is why a job gets no neighbours by a view in which not every record was read.
const OldRecordsReason = "a whole list of jobs is read first: its neighbours' owners may have withdrawn that they accept any"

// CheckEdit says why so many shards of a GPU of the node may not be asked for, by what runs there, what waits for shards
// there, and the starts that were decided before in the same cycle, in other partitions too; "" when they may be.
func CheckEdit(s *policy.Snapshot, v *slurm.View, starts []Start, p *policy.Job, j *slurm.Job, node string, shards int64) string {
	if why := FixedReason(j, &p.Ask, v.Release); why != "" {
		return why
	}
	n := s.Node(node)
	if n == nil {
		return "node " + node + " does not exist"
	}
	why := "node " + node + " gives no GPU that it asks for out in shards"
	for i := range n.GPUs {
		d := &n.GPUs[i]
		if d.SharesPerGPU < 2 || p.Ask.GPUs.Type != "" && p.Ask.GPUs.Type != d.Type {
			continue
		}
		size, full := Size(p, d)
		a, at := &assigner{snapshot: s, view: v, occupied: map[nodeType][]*occupiedGPU{}, starts: starts}, nodeType{node, d.Type}
		switch {
		case full != "":
			why = full
		case int64(size) != shards:
			why = fmt.Sprintf("it is to have %d shards by its memory and use of a GPU, not %d", size, shards)
		default:
			if why = cmp.Or(a.objection(p, at, d, size), a.waitingObjection(p, at, d, size)); why == "" && !v.IsFullRead && a.hasNeighbours(p, at, d, size) {
				why = OldRecordsReason
			}
			return why
		}
	}
	return why
}

// occupiedGPU is a GPU of which shards are given out, or will be.
type occupiedGPU struct {
	jobs       []int64
	usedShards int
}

// occupiedGPUs returns the GPUs of the type on the node of which running jobs hold shares.
func occupiedGPUs(v *slurm.View, node string, d *policy.NodeDevices) []*occupiedGPU {
	var all []*occupiedGPU
	byDevice := map[int]*occupiedGPU{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsRunning() || !slices.Contains(j.Nodes.Names, node) {
			continue
		}
		held := shares.Held(j, v.Node)
		for _, h := range held {
			if h.Node != node || h.GPUType != d.Type && h.GPUType != "" {
				continue
			}
			g := byDevice[h.Device]
			if g == nil || h.Device == shares.UnknownDevice {
				g = &occupiedGPU{}
				byDevice[h.Device], all = g, append(all, g)
			}
			used := (h.Percent*d.SharesPerGPU + 99) / 100
			if len(held) > 1 {
				used = 1 // how many of which is not known: others may have all the rest
			}
			g.jobs, g.usedShards = append(g.jobs, j.ID), g.usedShards+used
		}
	}
	return all
}

// hasRoom reports whether Slurm could give so many more of the GPU's shards out.
func (g *occupiedGPU) hasRoom(shards, perGPU int) bool { return g.usedShards+shards <= perGPU }

// objection says why the job must not come beside those on the GPU; "" when it may.
func (g *occupiedGPU) objection(s *policy.Snapshot, p *policy.Job, d *policy.NodeDevices) string {
	most, memMB := p.JobsPerGPU(), p.Sharing.UsedMemMB()+policy.SharedMemMarginMB
	for _, id := range g.jobs {
		o := s.Job(policy.JobID(id))
		if o == nil || !p.AcceptsNeighbour(o) {
			return fmt.Sprintf("Slurm might put it beside job %d, and their owners do not both accept that", id)
		}
		if o.Sharing.UsedMemMB() == 0 {
			return fmt.Sprintf("Slurm might put it beside job %d, and how much memory that uses is not known", id)
		}
		most, memMB = min(most, o.JobsPerGPU()), memMB+o.Sharing.UsedMemMB()
	}
	switch {
	case len(g.jobs)+1 > most:
		return fmt.Sprintf("Slurm might put it on a GPU with %s, and one of them accepts fewer", policy.FormatCount(len(g.jobs), "other job"))
	case memMB > d.MemMB:
		return fmt.Sprintf("the memory of the GPU, %d MB, is not enough for it beside job %d", d.MemMB, g.jobs[0])
	}
	return ""
}
