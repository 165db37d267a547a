package actuator

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// A pin names the nodes of a job that is about to start, an exclusion those it
// must not have.
var (
	requireNodesRow = EditKindRow{
		Kind: slurm.EditRequireNodes, Field: requiredNodesField, NeededMode: bridge.ModeSteer, SendPhase: PhaseOther,
		ShowsEffect: valueShownFunc(requiredNodesField), WantedEdits: wantedPinEdits, Check: checkPin,
		Undo: undoPin,
	}
	// No plan asks for an exclusion yet.
	excludeNodesRow = EditKindRow{
		Kind: slurm.EditExcludeNodes, Field: excludedNodesField, NeededMode: bridge.ModeSteer, SendPhase: PhaseOther,
		ShowsEffect: valueShownFunc(excludedNodesField), Check: checkExclusion,
		Undo: func(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
			return restoresNodeList(e, in.Before.Excluded, j)
		},
	}
)

var (
	requiredNodesField = newNodeListField(slurm.FieldRequiredNodes, "required nodes",
		func(j *slurm.Job) slurm.Hosts { return j.RequiredNodes }, func(b *bridge.JobBefore) *slurm.Hosts { return &b.Required })
	excludedNodesField = newNodeListField(slurm.FieldExcludedNodes, "excluded nodes",
		func(j *slurm.Job) slurm.Hosts { return j.ExcludedNodes }, func(b *bridge.JobBefore) *slurm.Hosts { return &b.Excluded })
)

// newNodeListField is what there is to know of a field that is a list of nodes.
func newNodeListField(name slurm.Field, what string, of func(*slurm.Job) slurm.Hosts, noted func(*bridge.JobBefore) *slurm.Hosts) *FieldRow {
	return &FieldRow{
		Name:         name,
		ValueOwnerOf: func(in *bridge.Intent, j *slurm.Job) ValueOwner { return ownerUsIf(of(j).SameAs(in.Edit.Nodes)) },
		ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("%s are now %q, we had set %q", what, of(j), in.Edit.Nodes)
		},
		GivesBack: func(e *slurm.Edit, own *bridge.JobBefore) bool { return own != nil && noted(own).SameAs(e.Nodes) },
		ChangeSince: func(was *bridge.JobBefore, j *slurm.Job) string {
			if of(j).Text == noted(was).Text || of(j).SameAs(noted(was).Names) {
				return ""
			}
			return fmt.Sprintf("its %s are %s now", what, of(j))
		},
		FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
			if in != nil {
				*noted(b) = *noted(&in.Before)
			}
		},
		NoteOwnersValue: func(b *bridge.JobBefore, j *slurm.Job) { *noted(b) = of(j) },
		OutliveLimit:    OutlivesBriefly,
	}
}

// restoresNodeList gives a list of nodes back as its owner wrote it.
func restoresNodeList(e *slurm.Edit, own slurm.Hosts, j *slurm.Job) bool {
	e.Nodes = own.Names
	return j.IsPending() && own.UnreadReason == ""
}

// undoPin gives the owner's own list of required nodes back.
func undoPin(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
	return restoresNodeList(e, in.Before.Required, j)
}

// wantedPinEdits names the nodes of jobs that are about to start on nodes that are free
// now, and gives the owner's own list back to those that did not start there.
// Required nodes are a must-have set: only a job whose node count is the
// plan's can be pinned, and an unsplit array cannot, since the pin would bind
// all its tasks. A job that Slurm keeps back loses our list: it may be the reason.
func wantedPinEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.decisionsReaching(requiredNodesField) {
		j := g.View.Job(int64(dec.Job))
		in := g.standingIntent(j, requiredNodesField)
		switch {
		case dec.Verb == policy.Start && g.isJobPinnable(j, dec) && !hidesOwnersNodes(in):
			if nodes := dec.On.Nodes(); needsPin(j, in, nodes) {
				edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: nodes, Why: dec.Why}))
			}
		case hidesOwnersNodes(in):
			edits = g.appendUndoEdit(edits, undoPin, in, j, "its owner named nodes before ours arrived: his own node list is given back")
		case in != nil:
			edits = g.appendUndoEdit(edits, undoPin, in, j, "it did not start on the nodes named for it: its own node list is given back")
		}
	}
	return edits
}

func (g *PartitionGoal) isJobPinnable(j *slurm.Job, dec policy.Decision) bool {
	nodes := dec.On.Nodes()
	p := g.Snapshot.Job(dec.Job)
	switch {
	case !g.MayPin, !j.WaitsForItsTurn(), p.HeldReason != "", p.UnplaceableReason != "", j.IsUnsplitArray():
		return false
	case len(nodes) == 0, len(nodes) != max(j.NodeCount, 1), areAnyAsleep(g.View, nodes):
		return false
	case TypeWithoutNodeReason(g.View, requestedGPUs(j).Type, nodes) != "":
		return false
	}
	return AreDevicesFree(g.View, dec.On) || g.joinsOthers(dec)
}

// hidesOwnersNodes reports whether the pin took the place of nodes that the owner named while
// it was under way.
func hidesOwnersNodes(in *bridge.Intent) bool {
	return in != nil && len(in.Before.Required.Names) > 0
}

// areAnyAsleep reports whether one of the nodes has to be woken: which to wake is Slurm's choice.
func areAnyAsleep(v *slurm.View, nodes []string) bool {
	return slices.ContainsFunc(nodes, func(name string) bool { n := v.Node(name); return n != nil && n.IsAsleep() })
}

// needsPin reports whether the nodes are not named yet, and may be: the owner names none,
// and no run can lose nodes by it.
func needsPin(j *slurm.Job, in *bridge.Intent, nodes []string) bool {
	own := j.RequiredNodes
	if in != nil {
		own = in.Before.Required
	}
	return !j.RequiredNodes.SameAs(nodes) && own.UnreadReason == "" && resizeReason(j, own.Names, nodes) == ""
}

// AreDevicesFree reports whether the view shows the devices as free already. A job pinned
// to a busy node would wait while others take what it waits for.
func AreDevicesFree(v *slurm.View, on policy.Alloc) bool {
	for _, slot := range on {
		n := v.Node(slot.Node)
		if n == nil || n.FreeGPUCount(slot.Type) < slot.Count {
			return false
		}
	}
	return true
}
