package intake

import (
	"cmp"
	"fmt"
	"strings"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// sizeIntent returns the intent whose number of GPUs of ours the job shows, or nil.
func (a *snapshotAssembler) sizeIntent(j *slurm.Job) *bridge.Intent {
	if a.Book == nil {
		return nil
	}
	in := a.Book.StandingIntent(j.CurrentRun(), slurm.FieldGPUs, a.View.At)
	if in == nil || in.Before.GPUs == 0 || actuator.ValueOwnerOf(in, j) != actuator.OwnerUs {
		return nil
	}
	return in
}

// addOwnersSize makes the ask that of the job's owner, where GPUs of ours stand in the record or the job takes whole nodes.
func (a *snapshotAssembler) addOwnersSize(ask *policy.Ask, j *slurm.Job) {
	in := a.sizeIntent(j)
	if in == nil {
		a.widenToWholeNodes(ask, j)
		return
	}
	if in.Edit.Kind == slurm.EditSetShards { // the owner's own is read already: ownersGPUs
		return
	}
	ask.GPUs.Count, ask.PerNode = int(in.Before.GPUs), int(in.Before.GPUs)/max(ask.MinNodes, 1)
	if in.Before.GPUType != "" { // else it is not noted, and ours changed no type
		ask.GPUs.Type = in.Before.GPUType
	}
}

// limitSizes makes a job rigid whose size cannot be changed here, and leaves one the GPU type it asks for
// whose type cannot be, and says why.
func (a *snapshotAssembler) limitSizes(size *slurm.DeclaredSize, ask *policy.Ask, j *slurm.Job) (ignored string) {
	if size.MaxGPUs == 0 && len(size.GPUTypes) == 0 {
		return "" // nothing is to be limited
	}
	why := cmp.Or(a.leftAloneReason(j), a.weakerPartitionReason(j, bridge.ModeElastic), actuator.FixedSizeReason(j))
	if why == "" && a.Book != nil && a.Book.WasSizeInVain(j.CurrentRun(), a.View.At) {
		why = "Slurm kept it from starting on another number of GPUs within the last day"
	}
	whyNoType := cmp.Or(why, actuator.FixedTypeReason(j, a.View.Release), a.View.UnplaceableReason(j))
	if whyNoType == "" && !a.HasExpiryTimer { // the gate would let none of it through
		whyNoType = "another type is asked for only while fairbridge expire runs"
	}
	return joinReasons(limitTypes(size, ask, a.gpuNodeByName, whyNoType), a.limitRange(size, ask, j, why))
}

// limitTypes limits the types that a job may be given besides the one it asks for; why says why there can be none.
func limitTypes(size *slurm.DeclaredSize, ask *policy.Ask, nodes map[string]*slurm.Node, why string) (ignored string) {
	if len(size.GPUTypes) == 0 {
		return ""
	}
	if why != "" {
		size.GPUTypes = nil
		return "types do not count: " + why
	}
	var notes, types []string
	for _, typ := range size.GPUTypes {
		switch least := cmp.Or(size.MinGPUs, ask.GPUs.Count); {
		case partPercentOfType(typ) != 0:
			notes = append(notes, fmt.Sprintf("type %s does not count: it is no whole GPU", typ))
		case mostOnNode(nodes, ask, typ) < least:
			notes = append(notes, fmt.Sprintf("type %s does not count: no node that the job may have has %d of it", typ, least))
		default:
			types = append(types, typ)
		}
	}
	size.GPUTypes = types
	return joinReasons(notes...)
}

// mostOnNode is the most GPUs of the type, "": of any, that one of the nodes has which suits the ask.
func mostOnNode(nodes map[string]*slurm.Node, ask *policy.Ask, gpuType string) int {
	most := 0
	for _, n := range nodes {
		if suitsAsk(n, ask) {
			most = max(most, n.GPUCount(gpuType))
		}
	}
	return most
}

// limitRange limits the range of sizes; why says why there can be none. What is left of the range is what
// one node can give; then the ask is one of a single node, of any number.
func (a *snapshotAssembler) limitRange(size *slurm.DeclaredSize, ask *policy.Ask, j *slurm.Job, why string) (ignored string) {
	if size.MaxGPUs == 0 {
		return ""
	}
	most := mostOnNode(a.gpuNodeByName, ask, ask.GPUs.Type)
	if why == "" && size.MinGPUs > most {
		why = fmt.Sprintf("no node has %s", policy.FormatCount(size.MinGPUs, "such GPU"))
	}
	if why != "" {
		size.MinGPUs, size.MaxGPUs = 0, 0
		return "min and max do not count: " + why
	}
	ask.MinNodes, ask.MaxNodes, ask.PerNode = 1, 1, 0
	if j.IsPending() && size.MaxGPUs > ask.GPUs.Count && !a.HasExpiryTimer { // the gate would let none of it through
		size.MaxGPUs = ask.GPUs.Count
		return fmt.Sprintf("of max %d count: more is asked for only while fairbridge expire runs", size.MaxGPUs)
	}
	if size.MaxGPUs > most {
		size.MaxGPUs = most
		return fmt.Sprintf("of max %d count: no node has more than %d such GPUs", most, most)
	}
	return ""
}

// leftAloneReason says why the gate lets nothing be changed in the job; "" when it may. What it always refuses
// must not be planned: others would be given sizes beside one that this job never gets.
func (a *snapshotAssembler) leftAloneReason(j *slurm.Job) string {
	if a.Budgets != nil {
		if why := a.Budgets.ExemptReason(j); why != "" {
			return why
		}
	}
	if why := a.LeftAloneReasonByUser[j.User]; why != "" || a.Book == nil {
		return why
	}
	if in := a.Book.YieldedIntent(j.CurrentRun(), a.View.At); in != nil {
		return cmp.Or(in.Error, "somebody changed the job after us")
	}
	return ""
}

// weakerPartitionReason says which of the job's partitions does not allow a mode; "" when all do. One
// that may start elsewhere too has the weakest mode of them, as in the gate: what the gate refuses
// must not be planned, or the job waits for the size that it is never given.
func (a *snapshotAssembler) weakerPartitionReason(j *slurm.Job, need bridge.Mode) string {
	for _, name := range j.Partitions {
		mode := a.ModeByPartition[name]
		if name == a.partition.Name {
			mode = a.partition.PlanMode()
		}
		if !mode.Allows(need) {
			return fmt.Sprintf("partition %s is not in mode %s", name, need)
		}
	}
	return ""
}

// joinReasons joins reasons, a line each.
func joinReasons(reasons ...string) string {
	var all []string
	for _, r := range reasons {
		if r != "" {
			all = append(all, r)
		}
	}
	return strings.Join(all, "\n")
}

// heldWholeGPUs is how many whole GPUs a running job holds by its record, those on nodes of other partitions
// included, whatever its owner asked: what is known of sizes of ours may be lost, and the job is served what it holds.
func (a *snapshotAssembler) heldWholeGPUs(out *policy.Job, j *slurm.Job) float64 {
	if shared := a.sharedGPUsByJob[j.ID]; shared.isKnown {
		return float64(shared.percent) / 100
	}
	held := min(j.GPUCount(), max(a.clusterTotals.gpus, 1))
	if held == 0 {
		return out.Ask.GPUs.WholeGPUs()
	}
	return policy.GPUs{Count: held, PartPercent: out.Ask.GPUs.PartPercent}.WholeGPUs()
}
