package chaos

import (
	"slices"

	"fairbridge/policy"
)

// eagerSharing starts each job that waits beside any that runs and whose owner accepts it, by the snapshot, before the policy's own
// starts: so more jobs share GPUs than policies want. It decides by the snapshot alone.
type eagerSharing struct{ inner policy.Policy }

// Decide implements policy.Policy.
func (w eagerSharing) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := w.inner.Decide(s)
	if err != nil {
		return nil, err
	}
	joined := map[policy.JobID]bool{}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], &s.Jobs[i]
		h := findHost(s, plan, j, joined)
		if d.Verb != policy.Wait && (d.Verb != policy.Start || d.Beside != 0) || h == nil {
			continue
		}
		joined[h.ID] = true
		d.Verb, d.On, d.GPUs, d.Beside, d.Why = policy.Start, slices.Clone(h.On), 1, h.ID, "shares eagerly"
	}
	return plan, nil
}

// findHost returns a running job that keeps its one GPU, has it alone, and whose owner accepts the job that waits; nil: none.
func findHost(s *policy.Snapshot, plan *policy.Plan, j *policy.Job, joined map[policy.JobID]bool) *policy.Job {
	if j.HoldsGPUs() || !j.CanStart(s.Now) || j.Ask.GPUs.Count != 1 || j.MinGPUs > 1 || len(j.Ask.RequiredNodes) > 0 {
		return nil
	}
	for i := range s.Jobs {
		h := &s.Jobs[i]
		if h.State != policy.Running || len(h.On) != 1 || h.On[0].Count != 1 || plan.Decisions[i].Verb != policy.Keep || joined[h.ID] || !j.AcceptsNeighbour(h) {
			continue
		}
		n := s.Node(h.On[0].Node)
		isFor := n != nil && n.DownReason == "" && !slices.Contains(j.Ask.ExcludedNodes, n.Name) && (j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == h.On[0].Type)
		if isFor && !slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool { return d.Job != h.ID && sharesDevice(d.On, h.On) }) {
			return h
		}
	}
	return nil
}

// sharesDevice reports whether two places have a device in common, as far as devices are named.
func sharesDevice(a, b policy.Alloc) bool {
	return slices.ContainsFunc(a, func(x policy.Slot) bool {
		return slices.ContainsFunc(b, func(y policy.Slot) bool { return x.Node == y.Node && x.Type == y.Type && x.Devices&y.Devices != 0 })
	})
}
