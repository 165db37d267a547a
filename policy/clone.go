package policy

import (
	"bytes"
	"slices"
)

// Clone returns a copy that shares nothing that can be written to; only a value
// that a policy remembered (see Remember) is the same one.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.Nodes = cloneAll(s.Nodes, Node.clone)
	c.Jobs = cloneAll(s.Jobs, Job.clone)
	c.Accounts, c.Users = slices.Clone(s.Accounts), slices.Clone(s.Users)
	c.Speeds, c.History = slices.Clone(s.Speeds), slices.Clone(s.History)
	c.Memo.raw = bytes.Clone(s.Memo.raw)
	return &c
}

// cloneAll copies a list with a copy of each of its members.
func cloneAll[T any](list []T, clone func(T) T) []T {
	out := slices.Clone(list)
	for i := range out {
		out[i] = clone(out[i])
	}
	return out
}

func (n Node) clone() Node {
	n.Partitions, n.Features = slices.Clone(n.Partitions), slices.Clone(n.Features)
	n.GPUs = slices.Clone(n.GPUs)
	n.Windows, n.Others = slices.Clone(n.Windows), slices.Clone(n.Others)
	return n
}

func (j Job) clone() Job {
	a := &j.Ask
	a.Require, a.Exclude = slices.Clone(a.Require), slices.Clone(a.Exclude)
	a.Features, a.Types = slices.Clone(a.Features), slices.Clone(a.Types)
	j.On = slices.Clone(j.On)
	if j.Training != nil {
		t := *j.Training
		t.Rates, t.Beside = slices.Clone(t.Rates), slices.Clone(t.Beside)
		t.Seen, t.Modes = slices.Clone(t.Seen), slices.Clone(t.Modes)
		j.Training = &t
	}
	return j
}
