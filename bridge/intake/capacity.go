package intake

import (
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// policyNode makes a policy's node of Slurm's. Cores and memory that jobs outside
// the snapshot use are taken off.
func (a *snapshotAssembler) policyNode(n *slurm.Node, mine nodeUse) policy.Node {
	why, _ := n.IsSchedulable()
	out := policy.Node{
		Name: n.Name, LeafSwitch: n.Topology, Partitions: slices.Sorted(slices.Values(n.Partitions)),
		Features: sortedUnique(n.Features), DownReason: why,
		CPUs:  max(n.CPUs-max(n.CPUsUsed-mine.cpus, 0), 0),
		MemMB: max(n.MemMB-max(n.MemUsedMB-mine.memMB, 0), 0),
		GPUs:  nodeDevices(n),
	}
	if len(n.Switches) > 0 {
		out.LeafSwitch, out.Switches = n.Switches[0], n.Switches[1:]
	}
	addShards(out.GPUs, n, a.partition.PlanMode())
	addMeasuredDevices(out.GPUs, a.MeasuredByNode[n.Name])
	return out
}

// nodeUse is what jobs use of a node.
type nodeUse struct {
	cpus  int
	memMB int64
}

// sumUseByNode returns what the jobs use of each node, split by their devices there.
func sumUseByNode(jobs []policy.Job) map[string]nodeUse {
	used := map[string]nodeUse{}
	for i := range jobs {
		j := &jobs[i]
		all := j.On.Count()
		for _, s := range j.On {
			u := used[s.Node]
			u.cpus += (j.Ask.CPUs*s.Count + all - 1) / all
			u.memMB += (j.Ask.MemMB*int64(s.Count) + int64(all) - 1) / int64(all)
			used[s.Node] = u
		}
	}
	return used
}

// nodeDevices returns the GPUs of a node by type.
func nodeDevices(n *slurm.Node) []policy.NodeDevices {
	var out []policy.NodeDevices
	for _, g := range n.GPUs() {
		out = append(out, policy.NodeDevices{Type: g.Type, Count: g.Count, PartPercent: partPercentOfType(g.Type)})
	}
	return out
}

// addMeasuredDevices adds what a probe measured to the devices it is about: by type, or
// as a whole where the node has one type, since drivers and Slurm seldom call
// a GPU the same.
func addMeasuredDevices(devices, measured []policy.NodeDevices) {
	for i := range devices {
		d := &devices[i]
		for _, m := range measured {
			if len(devices) == 1 || strings.EqualFold(m.Type, d.Type) {
				d.SickCount = min(d.SickCount+m.SickCount, d.Count)
				d.Utilisation, d.MemMB = m.Utilisation, m.MemMB
			}
		}
	}
}

// meanUtilisation returns the mean utilisation of a job's nodes, known only when every
// one of them is.
func (a *snapshotAssembler) meanUtilisation(on policy.Alloc) policy.OptionalValue {
	sum, n := 0.0, 0
	for _, s := range on {
		for _, d := range a.MeasuredByNode[s.Node] {
			if !d.Utilisation.Known {
				return policy.OptionalValue{}
			}
			sum += d.Utilisation.Value * float64(s.Count)
			n += s.Count
		}
	}
	if n == 0 {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(sum / float64(n))
}

func sortedUnique(list []string) []string {
	f := slices.Clone(list)
	slices.Sort(f)
	return slices.Compact(f)
}

// addMeasuredUse adds what was seen of the job itself. Where nothing was, its nodes' mean
// stands for it.
func (a *snapshotAssembler) addMeasuredUse(out *policy.Job) {
	u, ok := a.UseByJob[int64(out.ID)]
	if !ok {
		out.Utilisation = a.meanUtilisation(out.On)
		return
	}
	out.Utilisation, out.Progress = u.MeanBusy, u.Progress
	if u.Training != nil {
		out.Training = u.Training
	}
}
