package decode

import (
	"slices"

	"fairbridge/bridge/slurm"
)

// nodeSchema is every field of a node record this package reads.
var nodeSchema = newRecordSchema(
	sharedStringField("name", func(n *slurm.Node) *string { return &n.Name }),
	recordField[slurm.Node]{"state", readNodeState},
	recordField[slurm.Node]{"state_flags", readNodeState},
	humanTextField("reason", func(n *slurm.Node) *string { return &n.Reason }),
	parsedTextField("gres", func(n *slurm.Node) *slurm.GRESList { return &n.Gres }, (*textCaches).parseNodeGRES),
	parsedTextField("gres_used", func(n *slurm.Node) *slurm.GRESList { return &n.GresUsed }, (*textCaches).parseNodeGRES),
	parsedTextField("tres", func(n *slurm.Node) *slurm.TRES { return &n.TRES }, (*textCaches).parseTRES),
	parsedTextField("tres_used", func(n *slurm.Node) *slurm.TRES { return &n.TRESUsed }, (*textCaches).parseTRES),
	commaListField("active_features", func(n *slurm.Node) *[]string { return &n.Features }),
	commaListField("partitions", func(n *slurm.Node) *[]string { return &n.Partitions }),
	nonNegativeField("cpus", func(n *slurm.Node) *int { return &n.CPUs }),
	nonNegativeField("alloc_cpus", func(n *slurm.Node) *int { return &n.CPUsUsed }),
	nonNegativeField("real_memory", func(n *slurm.Node) *int64 { return &n.MemMB }),
	nonNegativeField("alloc_memory", func(n *slurm.Node) *int64 { return &n.MemUsedMB }),
	optionalField(sharedStringField("topology", func(n *slurm.Node) *string { return &n.Topology })),
	optionalField(nodeVersionField("version")),
	optionalField(nodeVersionField("slurmd_version")), // 22.05
)

// nodeVersionField makes the reader of one of the two names of the version.
func nodeVersionField(name string) recordField[slurm.Node] {
	return sharedStringField(name, func(n *slurm.Node) *string { return &n.Version })
}

// readNodeState adds words to the state and flags.
func readNodeState(s *replyInput, n *slurm.Node) valueStatus {
	got := s.readWords(true)
	for _, w := range s.lastWords {
		if n.State == "" && nodeBaseStates[w] {
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
	_, wrong := nodeSchema.readRecord(s, n)
	if s.Err() != nil {
		return
	}
	if n.Name == "" {
		s.Fail("a node without a name")
		return
	}
	slices.Sort(n.Flags)
	n.Flags = slices.Compact(n.Flags)
	if !wrong.isEmpty() || n.State == "" {
		n.State = "UNREADABLE"
	}
}

// partitionSchema is every field of a partition record this package reads.
// Before 24.11 the fields are flat, later they are in groups.
var partitionSchema = newRecordSchema(
	sharedStringField("name", func(p *slurm.Partition) *string { return &p.Name }),
	objectField("nodes", newRecordSchema(hostsField("configured", partitionNodesPtr)), hostsField("", partitionNodesPtr).read),
	objectField("maximums", newRecordSchema(nonNegativeField("time", partitionMaxTimePtr),
		nonNegativeField("nodes", partitionMaxNodesPtr), nonNegativeField("cpus_per_node", partitionMaxCPUsPtr),
		recordField[slurm.Partition]{"shares", readPartitionShares}), skipValue),
	nonNegativeField("maximum_cpus_per_node", partitionMaxCPUsPtr),
	nonNegativeField("maximum_nodes_per_job", partitionMaxNodesPtr),
	nonNegativeField("max_time_limit", partitionMaxTimePtr),
	objectField("priority", newRecordSchema(nonNegativeField("tier", partitionTierPtr)), skipValue),
	nonNegativeField("priority_tier", partitionTierPtr),
	objectField("accounts", newRecordSchema(commaListField("allowed", partitionAccountsPtr), commaListField("deny", deniedAccountsPtr)), skipValue),
	commaListField("allowed_accounts", partitionAccountsPtr),
	commaListField("denied_accounts", deniedAccountsPtr),
	objectField("qos", newRecordSchema(commaListField("allowed", partitionQOSPtr), commaListField("deny", deniedQOSPtr),
		sharedStringField("assigned", ownQOSPtr)), sharedStringField("", ownQOSPtr).read), // 22.05: the partition's own
	commaListField("allowed_qos", partitionQOSPtr),
	commaListField("denied_qos", deniedQOSPtr),
	objectField("partition", newRecordSchema(recordField[slurm.Partition]{"state", readPartitionState},
		sharedStringField("exclusive", func(p *slurm.Partition) *string { return &p.Exclusive })), skipValue),
	recordField[slurm.Partition]{"state", readPartitionState},
)

func partitionNodesPtr(p *slurm.Partition) *slurm.Hosts { return &p.Nodes }

func partitionMaxTimePtr(p *slurm.Partition) *int64 { return &p.MaxTimeMinutes }

func partitionMaxNodesPtr(p *slurm.Partition) *int { return &p.MaxNodes }

func partitionMaxCPUsPtr(p *slurm.Partition) *int { return &p.MaxCPUsPerNode }

// readPartitionShares reads how many jobs may share a node's cores: none where each has whole nodes. v0.0.45 writes 0
// everywhere, and tells it by another field.
func readPartitionShares(s *replyInput, p *slurm.Partition) valueStatus {
	n, got := s.readNonNegative()
	if got == statusFound && n == 0 && p.Exclusive == "" {
		p.Exclusive = "YES"
	}
	return got
}

func partitionTierPtr(p *slurm.Partition) *int { return &p.PriorityTier }

func partitionAccountsPtr(p *slurm.Partition) *[]string { return &p.AllowedAccounts }

func partitionQOSPtr(p *slurm.Partition) *[]string { return &p.AllowedQOS }

func ownQOSPtr(p *slurm.Partition) *string { return &p.QOS }

func deniedAccountsPtr(p *slurm.Partition) *[]string { return &p.DeniedAccounts }

func deniedQOSPtr(p *slurm.Partition) *[]string { return &p.DeniedQOS }

func readPartitionState(s *replyInput, p *slurm.Partition) valueStatus {
	got := s.readWords(true)
	if p.State = ""; got == statusFound && len(s.lastWords) == 1 {
		p.State = s.lastWords[0]
	}
	return got
}

// readPartition reads one partition record. One that cannot be read has no state.
func readPartition(s *replyInput, p *slurm.Partition) {
	_, wrong := partitionSchema.readRecord(s, p)
	if s.Err() != nil {
		return
	}
	if p.Name == "" {
		s.Fail("a partition without a name")
	}
	if !wrong.isEmpty() {
		p.State = ""
	}
	if p.Exclusive == "NO" {
		p.Exclusive = ""
	}
}
