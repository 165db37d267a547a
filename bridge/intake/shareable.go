package intake

import (
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// addShards adds of how many shards the GPUs of a node consist, in a mode in which they are used.
func addShards(devices []policy.NodeDevices, n *slurm.Node, mode bridge.Mode) {
	for i := range devices {
		if d := &devices[i]; mode.Allows(bridge.ModeShare) {
			d.SharesPerGPU = shares.ShardsPerGPU(n, d.Type)
			d.OnlyWhole = d.SharesPerGPU < 2
		}
	}
}

// listShardDevices returns the GPUs of the nodes, with what is measured of them; nil in a mode in which no shards are used.
func listShardDevices(a *snapshotAssembler) map[string][]policy.NodeDevices {
	if !a.partition.PlanMode().Allows(bridge.ModeShare) {
		return nil
	}
	out := map[string][]policy.NodeDevices{}
	for name, n := range a.gpuNodeByName {
		devices := nodeDevices(n)
		addMeasuredDevices(devices, a.MeasuredByNode[name])
		addShards(devices, n, a.partition.PlanMode())
		out[name] = devices
	}
	return out
}

// standsForItself reports whether a job with shares of a GPU is one that may have neighbours there: its owner
// opted in, it has shares of that GPU alone, and it is of the partition, which is in mode share.
func standsForItself(a *snapshotAssembler, h shareHolder) bool {
	return h.job.Directive.Shareable && h.job.IsInPartition(a.partition.Name) && a.partition.PlanMode().Allows(bridge.ModeShare) &&
		len(h.job.Nodes.Names) == 1 && len(shares.Held(h.job, a.View.Node)) == 1 && deviceOf(a.gpuNodeByName[h.hold.Node], h.hold)[0].Devices != 0
}

// deviceOf returns the one GPU of which shares are held.
func deviceOf(n *slurm.Node, h shares.Hold) policy.Alloc {
	return policy.Alloc{{Node: h.Node, Type: h.GPUType, Count: 1, Devices: policy.NewDeviceSet(shares.IndexInType(n, h.Device))}}
}

// namedDevices returns which of the GPUs of a node a job holds as a whole, in a mode in which other jobs may share
// those beside them; 0: Slurm does not tell.
func namedDevices(a *snapshotAssembler, j *slurm.Job, h slurm.DeviceHold) policy.DeviceSet {
	n := a.gpuNodeByName[h.Node]
	at := slices.Index(j.Nodes.Names, h.Node)
	if a.shardDevicesByNode == nil || len(j.GresDetail) != len(j.Nodes.Names) || at < 0 {
		return 0
	}
	var in []int
	for _, g := range j.GresDetail[at].List {
		for _, device := range g.DeviceIndexes {
			if g.Name == "gpu" && shares.TypeOfDevice(n, device) == h.Type {
				in = append(in, shares.IndexInType(n, device))
			}
		}
	}
	if len(in) != h.Count {
		return 0
	}
	return policy.NewDeviceSet(in...)
}

// addLimitedSharing adds what is known of the job beside neighbours, makes one that cannot have any here
// a job without, and says why.
func addLimitedSharing(a *snapshotAssembler, out *policy.Job, j *slurm.Job) {
	a.addSharing(out, &j.Directive)
	if out.Sharing != nil && !a.partition.SharesBetweenUsers {
		out.Sharing.AcceptsOtherUsers = false
	}
	if !out.Shareable {
		return
	}
	if why := unshareableReason(a, out, j); why != "" {
		out.Shareable = false
		out.IgnoredReason = joinReasons(out.IgnoredReason, "shareable does not count: "+why)
	}
}

// unshareableReason says why the job gets no neighbour on its GPU; "" when it may.
func unshareableReason(a *snapshotAssembler, out *policy.Job, j *slurm.Job) string {
	if why := a.weakerPartitionReason(j, bridge.ModeShare); why != "" {
		return why
	}
	if j.User == "" {
		return "whose it is is not known"
	}
	if j.IsRunning() {
		if !a.sharedGPUsByJob[j.ID].isKnown {
			return "it has its GPUs as a whole, or beside a job whose owner did not opt in"
		}
		return ""
	}
	if why := a.leftAloneReason(j); why != "" {
		return why
	}
	if why := sharing.FixedReason(j, &out.Ask, a.View.Release); why != "" {
		return why
	}
	switch {
	case a.View.UnplaceableReason(j) != "":
		return a.View.UnplaceableReason(j)
	case !a.HasExpiryTimer: // the gate would let none of it through
		return "shards are asked for only while fairbridge expire runs"
	case out.Sharing.UsedMemMB() == 0:
		return "how much memory it uses of a GPU is not known (--comment=fairbridge:shareable,gpu_mem=12G,gpu_busy=30%)"
	case !out.Sharing.Utilisation.Known:
		return "how busy it keeps a GPU is not known (--comment=fairbridge:shareable,gpu_mem=12G,gpu_busy=30%)"
	}
	return noShardsReason(a, out)
}

// noShardsReason says why no node that the job may have offers it shards; "" when one does.
func noShardsReason(a *snapshotAssembler, out *policy.Job) string {
	offered := false
	for _, n := range a.gpuNodeByName {
		if !suitsAsk(n, &out.Ask) {
			continue
		}
		for _, d := range a.shardDevicesByNode[n.Name] {
			if d.OnlyWhole || out.Ask.GPUs.Type != "" && d.Type != out.Ask.GPUs.Type {
				continue
			}
			if offered = true; d.MemMB > 0 {
				return ""
			}
		}
	}
	if offered {
		return "the memory of the GPUs that are given out in shards is not measured (node probes)"
	}
	return fmt.Sprintf("no node of partition %s that it may have gives GPUs out in shards", a.partition.Name)
}
