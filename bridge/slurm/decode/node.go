package decode

import (
	"slices"

	"fairbridge/bridge/slurm"
)

// nodeShape is every field of a node record this package reads.
var nodeShape = shaped(
	word("name", func(n *slurm.Node) *string { return &n.Name }),
	field[slurm.Node]{"state", readNodeState},
	field[slurm.Node]{"state_flags", readNodeState},
	remarks("reason", func(n *slurm.Node) *string { return &n.Reason }),
	meaning("gres", func(n *slurm.Node) *slurm.GRESList { return &n.Gres }, (*known).gres),
	meaning("gres_used", func(n *slurm.Node) *slurm.GRESList { return &n.GresUsed }, (*known).gres),
	meaning("tres", func(n *slurm.Node) *slurm.TRES { return &n.TRES }, (*known).tres),
	meaning("tres_used", func(n *slurm.Node) *slurm.TRES { return &n.TRESUsed }, (*known).tres),
	commas("active_features", func(n *slurm.Node) *[]string { return &n.Features }),
	commas("partitions", func(n *slurm.Node) *[]string { return &n.Partitions }),
	size("cpus", func(n *slurm.Node) *int { return &n.CPUs }),
	size("alloc_cpus", func(n *slurm.Node) *int { return &n.CPUsUsed }),
	size("real_memory", func(n *slurm.Node) *int64 { return &n.MemMB }),
	size("alloc_memory", func(n *slurm.Node) *int64 { return &n.MemUsedMB }),
	lenient(word("topology", func(n *slurm.Node) *string { return &n.Topology })),
	lenient(nodeVersion("version")),
	lenient(nodeVersion("slurmd_version")), // 22.05
)

// nodeVersion makes the reader of one of the two names of the version.
func nodeVersion(name string) field[slurm.Node] {
	return word(name, func(n *slurm.Node) *string { return &n.Version })
}

// readNodeState adds words to the state and flags.
func readNodeState(s *input, n *slurm.Node) verdict {
	got := s.words(true)
	for _, w := range s.list {
		if n.State == "" && nodeBases[w] {
			n.State = w
		} else {
			n.Flags = append(n.Flags, w)
		}
	}
	return got
}

// node reads one node record. One that cannot be read in part is in state
// UNREADABLE, where nothing can start.
func readNode(s *input, n *slurm.Node) {
	_, wrong := nodeShape.read(s, n)
	if s.Err() != nil {
		return
	}
	if n.Name == "" {
		s.Fail("a node without a name")
		return
	}
	slices.Sort(n.Flags)
	n.Flags = slices.Compact(n.Flags)
	if wrong != 0 || n.State == "" {
		n.State = "UNREADABLE"
	}
}

// partitionShape is every field of a partition record this package reads.
// Before 24.11 the fields are flat, later they are in groups.
var partitionShape = shaped(
	word("name", func(p *slurm.Partition) *string { return &p.Name }),
	object("nodes", shaped(hosts("configured", partitionNodes)), hosts("", partitionNodes).read),
	object("maximums", shaped(size("time", partitionTime)), nothing),
	size("max_time_limit", partitionTime),
	object("priority", shaped(size("tier", partitionTier)), nothing),
	size("priority_tier", partitionTier),
	object("accounts", shaped(commas("allowed", partitionAccounts)), nothing),
	commas("allowed_accounts", partitionAccounts),
	object("qos", shaped(commas("allowed", partitionQOS)), nothing), // 22.05: the partition's own
	commas("allowed_qos", partitionQOS),
	object("partition", shaped(field[slurm.Partition]{"state", readPartitionState}), nothing),
	field[slurm.Partition]{"state", readPartitionState},
)

func partitionNodes(p *slurm.Partition) *slurm.Hosts { return &p.Nodes }
func partitionTime(p *slurm.Partition) *int64        { return &p.MaxTime }
func partitionTier(p *slurm.Partition) *int          { return &p.Tier }
func partitionAccounts(p *slurm.Partition) *[]string { return &p.Accounts }
func partitionQOS(p *slurm.Partition) *[]string      { return &p.QOS }

func readPartitionState(s *input, p *slurm.Partition) verdict {
	got := s.words(true)
	p.Up = got == found && slices.Contains(s.list, "UP")
	return got
}

// partition reads one partition record. One that cannot be read is down.
func readPartition(s *input, p *slurm.Partition) {
	_, wrong := partitionShape.read(s, p)
	if s.Err() != nil {
		return
	}
	if p.Name == "" {
		s.Fail("a partition without a name")
	}
	if wrong != 0 {
		p.Up = false
	}
}
