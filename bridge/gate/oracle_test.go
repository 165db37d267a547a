package gate_test

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
)

// The oracle is a second opinion: each invariant once more, as a predicate on
// one accepted edit, written from the invariant's sentence with no code of the
// gate's and in the plainest way.

// deed is an accepted edit with what a reader of Slurm and the ledger sees.
type deed struct {
	in      gate.EditInput
	intents []bridge.Intent
	e       slurm.Edit
	j       slurm.Job
}

var oracle = map[string]func(d deed) bool{
	"I1": func(d deed) bool { return !d.j.IsHeld && !(d.j.State == "PENDING" && d.j.Priority == 0) },
	"I2": func(d deed) bool {
		switch d.e.Kind {
		case slurm.EditLease, slurm.EditUnlease:
			return d.e.Value == 0 && d.e.Nodes == nil && d.e.Array == "" && !d.e.Until.IsZero()
		case slurm.EditRequireNodes, slurm.EditExcludeNodes:
			return d.e.Value == 0 && d.e.Array == "" && d.e.Until.IsZero()
		case slurm.EditPriority:
			return d.e.Value >= 1000 && d.e.Value <= 4_000_000_000 && bare(d.e)
		case slurm.EditSiteFactor, slurm.EditNice:
			return d.e.Value >= -2_000_000_000 && d.e.Value <= 2_000_000_000 && bare(d.e)
		case slurm.EditSetGPUs:
			return d.e.Value >= 1 && bare(d.e)
		case slurm.EditHandBackPriority:
			return d.e.Value == 0 && bare(d.e)
		case slurm.EditRequeue:
			return d.e.Value == 0 && d.e.Nodes == nil && d.e.Until.IsZero()
		}
		return d.e.Kind == slurm.EditHardHold && d.in.Budgets.IAcceptOrphanHolds && d.e.Value == 0 && bare(d.e)
	},
	"I3": func(d deed) bool {
		for _, i := range d.about() {
			if i.State == bridge.IntentYielded {
				return false
			}
			if sameField(i.Edit.Kind, d.e.Kind) && slices.Contains([]bridge.IntentState{bridge.IntentPlanned, bridge.IntentSent, bridge.IntentAcked, bridge.IntentUnknown}, i.State) {
				return false
			}
		}
		last := d.standing(d.e.Kind)
		switch d.e.Kind {
		case slurm.EditUnlease:
			return last != nil && last.Edit.Until.Equal(d.j.EligibleTime) && !d.e.Until.Before(last.Before.Begin)
		case slurm.EditHandBackPriority:
			return last != nil && last.Edit.Value == d.j.Priority
		case slurm.EditSiteFactor:
			return last != nil || d.e.Value != 0
		case slurm.EditNice:
			return d.j.IsNiceKnown && (last == nil || last.Edit.Value == d.j.Nice)
		}
		return true
	},
	"I4": func(d deed) bool {
		if d.e.Kind != slurm.EditLease {
			return true
		}
		own := d.j.EligibleTime
		if last := d.standing(slurm.EditLease); last != nil {
			own = last.Before.Begin
		}
		length := d.e.Until.Sub(d.in.View.At)
		return length > 0 && length <= d.in.Budgets.LeaseMax && !d.e.Until.Before(own) &&
			(d.hasKnownRequests() || d.in.LeasedTimeByJob[d.e.Run.Job]+length <= d.in.Budgets.LeaseTotal)
	},
	"I5": func(d deed) bool {
		if d.e.Kind != slurm.EditRequeue {
			return true
		}
		for _, i := range d.about() {
			if i.State == bridge.IntentUnknown {
				return false
			}
		}
		for _, r := range d.in.RequeuedRuns {
			if r.IsSameRun(d.e.Run) {
				return false
			}
		}
		return d.j.State == "RUNNING" && d.j.IsBatch && d.j.Requeue && planJob(&d.in.CommonInput, d.e.Run.Job).UnstoppableReason == ""
	},
	"I6": func(d deed) bool {
		if d.e.Kind != slurm.EditRequeue {
			return true
		}
		for _, t := range d.in.RequeueTimesByJob[d.j.ID] {
			if t.Add(d.in.Budgets.Cooldown).After(d.in.View.At) {
				return false
			}
		}
		own := d.in.Budgets.Quantum + planJob(&d.in.CommonInput, d.j.ID).CheckpointCost
		return !d.j.Start.IsZero() && !d.j.Start.Add(own).After(d.in.View.At)
	},
	"I8": func(d deed) bool {
		return d.e.Kind != slurm.EditRequeue || slices.ContainsFunc(d.in.AllowedStops, func(s bridge.Stop) bool { return s.Job == d.e.Run.Job })
	},
	"I10": func(d deed) bool {
		last, ok := d.in.LastSentByField[d.e.WrittenField()]
		return !ok || d.e.Kind == slurm.EditRequeue || d.back() || d.in.Now.Sub(last) >= d.in.Budgets.EditCooldown
	},
	"I12": func(d deed) bool {
		switch d.e.Kind {
		case slurm.EditRequireNodes:
			return d.back() || d.pinFits()
		case slurm.EditExcludeNodes:
			return d.back() || d.exclusionFits()
		}
		return true
	},
	"I13": func(d deed) bool {
		age := d.in.Now.Sub(d.in.PolledAt)
		return age >= 0 && 2*age <= d.in.CycleInterval && d.e.Run == d.j.CurrentRun() &&
			d.in.View.At.Sub(d.in.PolledAt).Abs() <= d.in.Budgets.Skew
	},
	"I14": func(d deed) bool { return d.in.LeadershipLeft-d.in.Budgets.SendTime >= 2*time.Second },
	"I15": func(d deed) bool {
		if d.j.UntrustedReason != "" || d.j.HetJobID != 0 || d.j.FederationOrigin != "" || d.j.Cron != "" {
			return false
		}
		if d.back() {
			return true
		}
		if !d.j.IsBatch && !slices.Contains([]slurm.EditKind{slurm.EditSiteFactor, slurm.EditNice, slurm.EditPriority}, d.e.Kind) {
			return false
		}
		return d.j.Reservation == "" && !slices.Contains(d.in.Budgets.ExemptUsers, d.j.User) &&
			!slices.Contains(d.in.Budgets.ExemptAccounts, d.j.Account) && strings.HasPrefix(d.j.PartitionText()+",", "gpu,")
	},
	"I16": func(d deed) bool {
		p := planJob(&d.in.CommonInput, d.e.Run.Job)
		if d.back() || p == nil || p.State != "pending" || d.in.View.At.Sub(p.Arrive) <= d.in.Budgets.MaxPending {
			return true
		}
		was := int64(0)
		if last := d.standing(d.e.Kind); last != nil {
			was = last.Edit.Value
		}
		switch d.e.Kind {
		case slurm.EditLease, slurm.EditHardHold:
			return d.hasKnownRequests()
		case slurm.EditSiteFactor:
			return d.e.Value >= was
		case slurm.EditNice:
			return d.e.Value <= d.j.Nice
		case slurm.EditPriority:
			return d.e.Value >= d.j.Priority
		}
		return true
	},
	"I20": func(d deed) bool {
		least := map[slurm.EditKind]int{
			slurm.EditSiteFactor: 2, slurm.EditNice: 2, slurm.EditPriority: 2, slurm.EditHandBackPriority: 2, slurm.EditUnlease: 2,
			slurm.EditLease: 3, slurm.EditRequireNodes: 3, slurm.EditExcludeNodes: 3, slurm.EditHardHold: 3, slurm.EditSetGPUs: 3, slurm.EditRequeue: 4,
		}[d.e.Kind]
		if d.back() {
			return slices.Index(bridge.Modes, d.in.Mode) >= 2
		}
		for _, p := range d.j.Partitions {
			if slices.Index(bridge.Modes, d.in.ModeByPartition[p]) < least {
				return false
			}
		}
		return slices.Index(bridge.Modes, d.in.Mode) >= least
	},
}

// hasKnownRequests reports whether the deed is about a replica of the one service that a drawn world has, whose requests
// are known.
func (d deed) hasKnownRequests() bool {
	p := planJob(&d.in.CommonInput, d.e.Run.Job)
	return p != nil && p.ReplicaOf != "" && d.in.Snapshot.InferenceServices[0].Scaling.Rates != nil
}

func bare(e slurm.Edit) bool { return e.Nodes == nil && e.Array == "" && e.Until.IsZero() }

func sameField(a, b slurm.EditKind) bool { return a.Field() == b.Field() }

// about lists the intents about the deed's job.
func (d deed) about() []bridge.Intent {
	var is []bridge.Intent
	for _, i := range d.intents {
		if i.Edit.Run.Job == d.e.Run.Job {
			is = append(is, i)
		}
	}
	return is
}

// standing is the newest observed intent of the field that has not run out.
func (d deed) standing(k slurm.EditKind) *bridge.Intent {
	var last *bridge.Intent
	for _, i := range d.about() {
		if sameField(i.Edit.Kind, k) && i.State == bridge.IntentObserved {
			last = &i
		}
	}
	if last == nil || restores(last.Edit, last.Before) || !last.NotAfter.IsZero() && !last.NotAfter.After(d.in.View.At) {
		return nil
	}
	return last
}

// restores reports whether the edit wrote what stood there before us: nothing
// of ours is left then.
func restores(e slurm.Edit, b bridge.JobBefore) bool {
	switch e.Kind {
	case slurm.EditSiteFactor:
		return e.Value == 0
	case slurm.EditNice:
		return e.Value == b.Nice-b.OurValue
	case slurm.EditRequireNodes:
		return strings.Join(e.Nodes, ",") == b.Required.Text
	case slurm.EditExcludeNodes:
		return strings.Join(e.Nodes, ",") == b.Excluded.Text
	}
	return false
}

// back reports whether the deed restores what stood there before us.
func (d deed) back() bool {
	if d.e.Kind == slurm.EditUnlease || d.e.Kind == slurm.EditHandBackPriority {
		return true
	}
	last := d.standing(d.e.Kind)
	return last != nil && restores(d.e, last.Before)
}

// owners returns the owner's node lists; the generator writes plain lists.
func (d deed) owners() (required, excluded []string) {
	req, exc := d.j.RequiredNodes.Text, d.j.ExcludedNodes.Text
	if last := d.standing(slurm.EditRequireNodes); last != nil {
		req = last.Before.Required.Text
	}
	if last := d.standing(slurm.EditExcludeNodes); last != nil {
		exc = last.Before.Excluded.Text
	}
	split := func(r rune) bool { return r == ',' }
	return strings.FieldsFunc(req, split), strings.FieldsFunc(exc, split)
}

func (d deed) pinFits() bool {
	required, excluded := d.owners()
	for _, n := range d.e.Nodes {
		if slices.Contains(excluded, n) || !d.open(n) {
			return false
		}
	}
	return len(required) == 0 && len(d.e.Nodes) > 0 && len(d.e.Nodes) == d.j.MaxNodes && len(d.e.Nodes) <= max(1, d.j.NodeCount) && (d.j.ArrayJobID == 0 || d.j.IsArrayTask)
}

func (d deed) exclusionFits() bool {
	required, excluded := d.owners()
	for _, n := range excluded {
		if !slices.Contains(d.e.Nodes, n) {
			return false
		}
	}
	left := 0
	for _, n := range d.in.View.Nodes {
		switch {
		case slices.Contains(d.e.Nodes, n.Name) && slices.Contains(required, n.Name):
			return false
		case !slices.Contains(d.e.Nodes, n.Name) && d.open(n.Name):
			left++
		}
	}
	return float64(left) >= d.in.Budgets.NodeFactor*float64(max(1, d.j.NodeCount))
}

func (d deed) open(name string) bool {
	for _, n := range d.in.View.Nodes {
		if n.Name == name {
			return n.State == "IDLE" || n.State == "MIXED" && len(n.Flags) == 0
		}
	}
	return false
}
