package gate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// minRunPerRestart is how many times what a restart costs a run must have lasted before it is
// requeued for another size, and must be expected to last after.
const minRunPerRestart = 20

// changesSize reports whether the decision gives the job another number of GPUs than its owner
// asked, or another type. An unsplit array starts as many of its tasks as there is room for.
func changesSize(p *policy.Job, d *policy.Decision) bool {
	return d.GPUs != 0 && d.GPUs != p.Ask.GPUs.Count && p.TaskCount() == 1 || actuator.OtherType(p, d) != ""
}

// checkSize says why the job cannot start on the GPUs that the decision gives it (I23).
func (g *planGate) checkSize(p *policy.Job, d *policy.Decision) *denial {
	j := g.View.Job(int64(p.ID))
	why, otherType := actuator.FixedSizeReason(j), actuator.OtherType(p, d)
	switch {
	case why != "":
		return deny(invariant.DeclaredSizes, "it would run on %d GPUs instead of %d: %s", d.GPUs, p.Ask.GPUs.Count, why)
	case d.GPUs != p.Ask.GPUs.Count && (p.MinGPUs < 1 || d.GPUs < p.MinGPUs || d.GPUs > p.MaxGPUs):
		return deny(invariant.DeclaredSizes, "%d GPUs are not between %d and %d, which its owner leaves us", d.GPUs, p.MinGPUs, p.MaxGPUs)
	case len(d.On) != 1 || d.On.Count() != d.GPUs:
		return deny(invariant.DeclaredSizes, "%d GPUs of one node are wanted, %v is not that", d.GPUs, d.On)
	case (d.GPUs > p.Ask.GPUs.Count || otherType != "") && !g.HasExpiryTimer:
		return deny(invariant.DeclaredSizes, "it would ask for more than its owner did, or for another type, and nothing outside the daemon would take that back if the daemon died")
	}
	return firstDenial(func() *denial { return g.checkType(p, j, otherType) }, func() *denial { return g.checkModeAllows(j, bridge.ModeElastic) })
}

// checkType says why the job cannot be given GPUs of another type than it asks for; "": it is given none.
func (g *planGate) checkType(p *policy.Job, j *slurm.Job, otherType string) *denial {
	if otherType == "" {
		return nil
	}
	if !slices.Contains(p.GPUTypes, otherType) {
		return deny(invariant.DeclaredSizes, "it asks for %v, and its owner does not accept %s", p.Ask.GPUs, otherType)
	}
	if why := actuator.FixedTypeReason(j, g.View.Release); why != "" {
		return deny(invariant.DeclaredSizes, "it would run on %s instead of %s: %s", otherType, p.Ask.GPUs.Type, why)
	}
	return nil
}

// checkResize says why the running job may not be requeued for the size, or the type of GPU, that the decision
// gives it (I23). A stop that is none for either is not asked.
func (g *planGate) checkResize(p *policy.Job, d *policy.Decision) *denial {
	if d.Verb != policy.Resize && !actuator.MovesToType(p, d) {
		return nil
	}
	least := minRunPerRestart * cmp.Or(p.CheckpointCost, g.Budgets.AssumedRestartCost())
	j := g.View.Job(int64(p.ID))
	ran, left := g.clusterTime.Sub(j.Start), predictedEnd(p, d)
	switch {
	case d.GPUs == p.On.Count() && d.Verb == policy.Resize && d.On.FirstType() == p.On.FirstType():
		return deny(invariant.DeclaredSizes, "it runs on %d GPUs already", d.GPUs)
	case ran < least:
		return deny(invariant.DeclaredSizes, "it ran %v on this size, the least is %v: %d times what a restart costs", ran.Round(time.Second), least, minRunPerRestart)
	case left > 0 && left < least:
		return deny(invariant.DeclaredSizes, "it is expected to end in %v, within %d times what a restart costs", left.Round(time.Second), minRunPerRestart)
	case d.GPUs == p.Ask.GPUs.Count && actuator.OtherType(p, d) == "": // what its owner asked needs no leave
		return g.checkModeAllows(j, bridge.ModeElastic)
	}
	return g.checkSize(p, d)
}

// heldGPUs is how many whole GPUs the running job holds, whatever its owner asked or leaves to us now: a
// job on a size of ours may have become rigid since it started. Where its devices are not known, what it asks.
func heldGPUs(p *policy.Job) float64 {
	if n := p.On.Count(); n > 0 {
		return policy.GPUs{Count: n, PartPercent: p.Ask.GPUs.PartPercent}.WholeGPUs()
	}
	return p.Ask.GPUs.WholeGPUs()
}

// checkShare says why the job cannot start on shards of a GPU beside others (I24).
func (g *planGate) checkShare(p *policy.Job, j *slurm.Job) *denial {
	share := g.shareByJob[p.ID]
	switch {
	case share.Shards == 0:
		return deny(invariant.SharedGPUs, "%s", cmp.Or(share.Why, "its place among others is not known"))
	case !g.HasExpiryTimer:
		return deny(invariant.SharedGPUs, "it would ask for shards of a GPU, and nothing outside the daemon would take that back if the daemon died")
	}
	if why := sharing.FixedReason(j, &p.Ask, g.View.Release); why != "" {
		return deny(invariant.SharedGPUs, "%s", why)
	}
	if n := g.checkModeAllows(j, bridge.ModeShare); n != nil || g.View.IsFullRead || !share.HasNeighbours {
		return n
	}
	g.output.NeedsFullRead = true
	return deny(invariant.FreshView, "%s", sharing.OldRecordsReason)
}
