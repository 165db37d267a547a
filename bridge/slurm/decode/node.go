package decode

import (
	"slices"

	"fairbridge/bridge/slurm"
)

// nodeSchema is every field of a node record this package reads.
var nodeSchema = newSchema(
	wordField("name", func(n *slurm.Node) *string { return &n.Name }),
	recordField[slurm.Node]{"state", readNodeState},
	recordField[slurm.Node]{"state_flags", readNodeState},
	remarkField("reason", func(n *slurm.Node) *string { return &n.Reason }),
	parsedField("gres", func(n *slurm.Node) *slurm.GRESList { return &n.Gres }, (*meanings).gresOf),
	parsedField("gres_used", func(n *slurm.Node) *slurm.GRESList { return &n.GresUsed }, (*meanings).gresOf),
	parsedField("tres", func(n *slurm.Node) *slurm.TRES { return &n.TRES }, (*meanings).tresOf),
	parsedField("tres_used", func(n *slurm.Node) *slurm.TRES { return &n.TRESUsed }, (*meanings).tresOf),
	commaListField("active_features", func(n *slurm.Node) *[]string { return &n.Features }),
	commaListField("partitions", func(n *slurm.Node) *[]string { return &n.Partitions }),
	sizeField("cpus", func(n *slurm.Node) *int { return &n.CPUs }),
	sizeField("alloc_cpus", func(n *slurm.Node) *int { return &n.CPUsUsed }),
	sizeField("real_memory", func(n *slurm.Node) *int64 { return &n.MemMB }),
	sizeField("alloc_memory", func(n *slurm.Node) *int64 { return &n.MemUsedMB }),
	optionalField(wordField("topology", func(n *slurm.Node) *string { return &n.Topology })),
	optionalField(nodeVersion("version")),
	optionalField(nodeVersion("slurmd_version")), // 22.05
)

// nodeVersion makes the reader of one of the two names of the version.
func nodeVersion(name string) recordField[slurm.Node] {
	return wordField(name, func(n *slurm.Node) *string { return &n.Version })
}

// readNodeState adds words to the state and flags.
func readNodeState(s *replyInput, n *slurm.Node) status {
	got := s.readWords(true)
	for _, w := range s.words {
		if n.State == "" && nodeBases[w] {
			n.State = w
		} else {
			n.Flags = append(n.Flags, w)
		}
	}
	return got
}

// readNode reads one node record. One that cannot be read in part is in state
// UNREADABLE, where nothing can start.
func readNode(s *replyInput, n *slurm.Node) {
	_, wrong := nodeSchema.read(s, n)
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

// partitionSchema is every field of a partition record this package reads.
// Before 24.11 the fields are flat, later they are in groups.
var partitionSchema = newSchema(
	wordField("name", func(p *slurm.Partition) *string { return &p.Name }),
	objectField("nodes", newSchema(hostsField("configured", partitionNodes)), hostsField("", partitionNodes).read),
	objectField("maximums", newSchema(sizeField("time", partitionTime)), skipValue),
	sizeField("max_time_limit", partitionTime),
	objectField("priority", newSchema(sizeField("tier", partitionTier)), skipValue),
	sizeField("priority_tier", partitionTier),
	objectField("accounts", newSchema(commaListField("allowed", partitionAccounts)), skipValue),
	commaListField("allowed_accounts", partitionAccounts),
	objectField("qos", newSchema(commaListField("allowed", partitionQOS)), skipValue), // 22.05: the partition's own
	commaListField("allowed_qos", partitionQOS),
	objectField("partition", newSchema(recordField[slurm.Partition]{"state", readPartitionState}), skipValue),
	recordField[slurm.Partition]{"state", readPartitionState},
)

func partitionNodes(p *slurm.Partition) *slurm.Hosts { return &p.Nodes }

func partitionTime(p *slurm.Partition) *int64 { return &p.MaxTimeMinutes }

func partitionTier(p *slurm.Partition) *int { return &p.PriorityTier }

func partitionAccounts(p *slurm.Partition) *[]string { return &p.AllowedAccounts }

func partitionQOS(p *slurm.Partition) *[]string { return &p.AllowedQOS }

func readPartitionState(s *replyInput, p *slurm.Partition) status {
	got := s.readWords(true)
	p.IsUp = got == found && slices.Contains(s.words, "UP")
	return got
}

// readPartition reads one partition record. One that cannot be read is down.
func readPartition(s *replyInput, p *slurm.Partition) {
	_, wrong := partitionSchema.read(s, p)
	if s.Err() != nil {
		return
	}
	if p.Name == "" {
		s.Fail("a partition without a name")
	}
	if wrong != 0 {
		p.IsUp = false
	}
}
