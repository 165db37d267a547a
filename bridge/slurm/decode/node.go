package decode

import (
	"slices"
	"strings"

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

// textCaches is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type textCaches struct {
	hostLists    textCache[slurm.Hosts]
	constraints  textCache[slurm.Features]
	dependencies textCache[slurm.Dependency]
	arrayTasks   textCache[slurm.ArrayTasks]
	directives   textCache[slurm.Directive]
	tres         textCache[slurm.TRES]
	nodeGRES     textCache[slurm.GRESList] // of nodes
	gresRequests textCache[slurm.GRESList]
}

func (k *textCaches) parseHosts(text string) slurm.Hosts {
	return k.hostLists.parseCached(text, slurm.ReadHosts, func(h slurm.Hosts) int { return len(h.Names) })
}

func (k *textCaches) parseConstraint(text string) slurm.Features {
	return k.constraints.parseCached(text, slurm.ReadFeatures, func(f slurm.Features) int { return len(f.Required) })
}

func (k *textCaches) parseDependency(text string) slurm.Dependency {
	return k.dependencies.parseCached(text, slurm.ReadDependency, func(d slurm.Dependency) int { return len(d.JobIDs) })
}

func (k *textCaches) parseArrayTasks(text string) slurm.ArrayTasks {
	return k.arrayTasks.parseCached(text, slurm.ReadArrayTasks, func(t slurm.ArrayTasks) int { return len(t.Ranges) })
}

func (k *textCaches) parseDirectives(comment, extra string) slurm.Directive {
	switch {
	case slurm.HasDirective(extra):
		return slurm.ReadDirective(comment, extra)
	case slurm.HasDirective(comment):
		return k.directives.parseCached(comment, readCommentDirective, func(slurm.Directive) int { return 0 })
	}
	return slurm.Directive{}
}

func readCommentDirective(text string) slurm.Directive { return slurm.ReadDirective(text) }

func (k *textCaches) parseTRES(text string) slurm.TRES {
	return k.tres.parseCached(text, slurm.ReadTRES, func(t slurm.TRES) int { return len(t.Gres) })
}

func (k *textCaches) parseNodeGRES(text string) slurm.GRESList {
	return k.nodeGRES.parseCached(text, slurm.ReadGRES, countGRESItems)
}

func (k *textCaches) parseGRESRequest(text string) slurm.GRESList {
	return k.gresRequests.parseCached(text, slurm.ReadGRESRequest, countGRESItems)
}

func countGRESItems(l slurm.GRESList) int {
	n := len(l.List)
	for i := range l.List {
		n += len(l.List[i].DeviceIndexes)
	}
	return n
}

// textCache keeps what texts mean.
type textCache[T any] struct {
	valueByText map[string]T
	itemCount   int // items kept
}

// The most textCache keeps before it begins anew, in items of about 16 bytes, and the
// longest text.
const (
	maxCacheItems      = 1 << 18
	maxCachedTextBytes = 1 << 10
)

// parseCached returns what the text means, by read where that is not known; items is how
// many items the meaning has.
func (m *textCache[T]) parseCached(text string, read func(string) T, items func(T) int) T {
	if v, ok := m.valueByText[text]; ok {
		return v
	}
	if len(text) > maxCachedTextBytes {
		return read(text)
	}
	text = strings.Clone(text) // it shares the memory of a whole reply
	v := read(text)
	size := 8 + len(text)/16 + items(v)
	if m.itemCount += size; m.valueByText == nil || m.itemCount > maxCacheItems {
		m.valueByText, m.itemCount = map[string]T{}, size
	}
	m.valueByText[text] = v
	return v
}
