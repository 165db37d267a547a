package policy

import (
	"bytes"
	"slices"
)

// Clone returns a copy that shares nothing that can be written to; only a value
// that a policy remembered (see Remember) is the same one. It has no Scratch.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.Nodes = cloneList(s.Nodes, Node.clone)
	c.Jobs = cloneList(s.Jobs, Job.clone)
	c.Accounts, c.Users = slices.Clone(s.Accounts), slices.Clone(s.Users)
	c.InferenceServices = cloneList(s.InferenceServices, InferenceService.clone)
	c.DeadlineBudgets = slices.Clone(s.DeadlineBudgets)
	c.Speeds, c.History = slices.Clone(s.Speeds), slices.Clone(s.History)
	c.Memo.rawJSON = bytes.Clone(s.Memo.rawJSON)
	c.WriteForecast()
	c.Scratch = nil
	return &c
}

// cloneList copies a list with a copy of each of its members.
func cloneList[T any](list []T, clone func(T) T) []T {
	out := slices.Clone(list)
	for i := range out {
		out[i] = clone(out[i])
	}
	return out
}

func (n Node) clone() Node {
	n.Partitions, n.Features = slices.Clone(n.Partitions), slices.Clone(n.Features)
	n.GPUs, n.Switches = cloneList(n.GPUs, NodeDevices.clone), slices.Clone(n.Switches)
	n.Windows, n.OtherUses = slices.Clone(n.Windows), slices.Clone(n.OtherUses)
	return n
}

func (d NodeDevices) clone() NodeDevices {
	d.Domains = slices.Clone(d.Domains)
	return d
}

func (j Job) clone() Job {
	a := &j.Ask
	a.RequiredNodes, a.ExcludedNodes = slices.Clone(a.RequiredNodes), slices.Clone(a.ExcludedNodes)
	a.Features, a.TypesToTry = slices.Clone(a.Features), slices.Clone(a.TypesToTry)
	j.On = slices.Clone(j.On)
	if j.Training != nil {
		t := *j.Training
		t.Rates, t.SharedRates = slices.Clone(t.Rates), slices.Clone(t.SharedRates)
		t.SeenRegimes, t.PossibleRegimes = slices.Clone(t.SeenRegimes), slices.Clone(t.PossibleRegimes)
		t.Losses = slices.Clone(t.Losses)
		j.Training = &t
	}
	j.Scaling, j.Sharing, j.CPUScaling = j.Scaling.clone(), j.Sharing.clone(), j.CPUScaling.clone()
	j.GPUTypes, j.DependsOn = slices.Clone(j.GPUTypes), slices.Clone(j.DependsOn)
	if j.EarlyEnd != nil {
		enough := *j.EarlyEnd
		j.EarlyEnd = &enough
	}
	return j
}
