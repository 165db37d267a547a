package whatif

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// NewRequest returns a job for a partition that asks for GPUs of a type ("": any) for at most a time,
// over so many nodes (0: any), evenly where that goes. One core is assumed for each GPU.
func NewRequest(s *policy.Snapshot, partition string, gpus policy.GPUs, nodes int, limit time.Duration) policy.Job {
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if d.Type == gpus.Type && !d.IsWholeGPU() {
				gpus.PartPercent = d.PartPercent
			}
		}
	}
	ask := policy.Ask{GPUs: gpus, MinNodes: max(nodes, 1), MaxNodes: nodes, CPUs: max(gpus.Count, nodes)}
	if nodes > 0 && gpus.Count%nodes == 0 {
		ask.PerNode = gpus.Count / nodes
	}
	return policy.Job{Partition: partition, Limit: limit, Ask: ask}
}

// CheckRequest says what a partition lacks to hold a job even if it were empty.
func CheckRequest(s *policy.Snapshot, j *policy.Job) error {
	countByType, nodeCount, total := map[string]int{}, 0, 0
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.InPartition(j.Partition) {
			nodeCount++
			for _, d := range n.GPUs {
				countByType[d.Type] += d.Count
				if j.Ask.GPUs.Type == d.Type || j.Ask.GPUs.Type == "" && d.IsWholeGPU() {
					total += d.Count
				}
			}
		}
	}
	has := gpusText(countByType)
	switch {
	case total == 0:
		return fmt.Errorf("partition %s has no %s: it has %s", j.Partition, typeText(j.Ask.GPUs.Type), has)
	case j.Ask.GPUs.Count > total:
		return fmt.Errorf("partition %s has not %s: it has %s", j.Partition, j.Ask.GPUs, has)
	case j.Ask.MinNodes > nodeCount:
		return fmt.Errorf("partition %s has not %d nodes with GPUs: it has %d", j.Partition, j.Ask.MinNodes, nodeCount)
	case j.Ask.MinNodes > j.Ask.GPUs.Count:
		return fmt.Errorf("%s are not enough for %d nodes: each needs one", j.Ask.GPUs, j.Ask.MinNodes)
	}
	if _, err := pool.Fit(pool.NewEmpty(s.Nodes, time.Time{}), j.Partition, j.AskWithLimit()); err != nil {
		return fmt.Errorf("partition %s, with the nodes that are up, has no room for %s even if it were empty: %w", j.Partition, j.Ask.Describe(), err)
	}
	return nil
}

func typeText(gpuType string) string {
	if gpuType == "" {
		return "GPUs"
	}
	return "GPUs of type " + gpuType
}

// gpusText lists what there is by type: "16 a100, 4 h100".
func gpusText(countByType map[string]int) string {
	var list []string
	for t, n := range countByType {
		list = append(list, policy.GPUs{Type: t, Count: n}.String())
	}
	slices.Sort(list)
	if len(list) == 0 {
		return "no node with GPUs"
	}
	return strings.Join(list, ", ")
}

// WithoutJob returns a snapshot without a job; 0: as it is.
func WithoutJob(s *policy.Snapshot, id policy.JobID) *policy.Snapshot {
	if id == 0 {
		return s
	}
	rest := *s
	rest.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(j policy.Job) bool { return j.ID == id })
	return &rest
}
