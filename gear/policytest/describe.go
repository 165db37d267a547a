package policytest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairbridge/policy"
)

// DescribePlan prints a snapshot and a plan for it as people read them, in order of
// rank: for the messages of failing tests.
func DescribePlan(s *policy.Snapshot, plan *policy.Plan) string {
	var b strings.Builder
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "%s %v %v %d cores %d MB", n.Name, n.Partitions, n.Features, n.CPUs, n.MemMB)
		for _, d := range n.GPUs {
			fmt.Fprintf(&b, " %d×%s", d.Count, d.Type)
			if d.SickCount > 0 {
				fmt.Fprintf(&b, " (%d sick)", d.SickCount)
			}
		}
		if n.DownReason != "" {
			b.WriteString(" down")
		}
		for i := range n.Windows {
			fmt.Fprintf(&b, " %v %v-%v %d cores %d GPUs", &n.Windows[i], n.Windows[i].From, n.Windows[i].To, n.Windows[i].CPUs, n.Windows[i].GPUs)
		}
		b.WriteByte('\n')
	}
	byRank := slices.Clone(plan.Decisions)
	slices.SortFunc(byRank, func(x, y policy.Decision) int { return cmp.Compare(x.Rank, y.Rank) })
	for _, d := range byRank {
		j := s.Job(d.Job)
		fmt.Fprintf(&b, "%d. job %d %s %s %s, %v cpus %d mem %d nodes %d-%d each %d +%v -%v %v", d.Rank, j.ID, j.Account, j.Partition,
			j.State, j.Ask.GPUs, j.Ask.CPUs, j.Ask.MemMB, j.Ask.MinNodes, j.Ask.MaxNodes, j.Ask.PerNode, j.Ask.RequiredNodes, j.Ask.ExcludedNodes, j.Ask.Features)
		fmt.Fprintf(&b, " on %v limit %v fixed %q stops %d unplaced %q tasks %d: %s %v: %s\n", j.On, j.Limit, j.UnstoppableReason, j.StopCount, j.UnplaceableReason, j.Tasks, d.Verb, d.On, d.Why)
	}
	return b.String()
}
