// Package cluster reads the cluster to simulate from a line:
//
//	32                      32 servers of one GPU, type v100, as the published tables have it
//	16x4:a100,8x8:h100      16 servers of four A100 and eight of eight H100
//	8x4                     8 servers of four GPUs whose type does not matter
//	16x8:v100:24:500        16 servers of eight V100, each with 24 cores and 500 GB
package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/policy"
)

// PartitionName is the one partition all nodes are in.
const PartitionName = "gpu"

// The types of GPUs whose type is not said.
const (
	PlainSpecGPUType = "v100" // of a bare number, as in the published tables
	UntypedGPUType   = "gpu"  // of parts without a type
)

// Where a line says nothing of cores and memory there is plenty of them, in the
// proportion of today's servers.
const (
	coresPerGPU = 64
	memMBPerGPU = 1 << 20 // MB
	mbPerGB     = 1000    // as makers of memory and the papers count
)

// maxClusterGPUs is the largest cluster, in GPUs.
const maxClusterGPUs = 1 << 20

// nodeGroup is one group of equal servers.
type nodeGroup struct {
	specText               string
	nodeCount, gpusPerNode int
	gpuType                string
	cpus                   int   // of a server
	memMB                  int64 // of a server
}

// ParseSpec reads a cluster. Nodes are named node1, node2, … with zeros in front
// so that they sort, in the order of the parts. The error names the part that
// makes no sense or contradicts another.
func ParseSpec(spec string) ([]policy.Node, error) {
	parts, err := parseNodeGroups(spec)
	if err != nil {
		return nil, fmt.Errorf("cluster %q: %w", spec, err)
	}
	n := 0
	for _, p := range parts {
		n += p.nodeCount
	}
	nodes := make([]policy.Node, 0, n)
	for _, p := range parts {
		for range p.nodeCount {
			nodes = append(nodes, p.newNode(fmt.Sprintf("node%0*d", len(strconv.Itoa(n)), len(nodes)+1)))
		}
	}
	return nodes, nil
}

// CountGPUs counts the GPUs of the nodes.
func CountGPUs(nodes []policy.Node) int {
	n := 0
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			n += d.Count
		}
	}
	return n
}

// MaxGPUsPerNode is how many GPUs the largest node has, at least 1.
func MaxGPUsPerNode(nodes []policy.Node) int {
	most := 1
	for i := range nodes {
		most = max(most, CountGPUs(nodes[i:i+1]))
	}
	return most
}

// CountGPUsByType counts the GPUs of the nodes by type.
func CountGPUsByType(nodes []policy.Node) map[string]int {
	n := map[string]int{}
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			n[d.Type] += d.Count
		}
	}
	return n
}

func (p nodeGroup) newNode(name string) policy.Node {
	return policy.Node{
		Name: name, Partitions: []string{PartitionName}, CPUs: p.cpus, MemMB: p.memMB,
		GPUs: []policy.NodeDevices{{Type: p.gpuType, Count: p.gpusPerNode}},
	}
}

func parseNodeGroups(spec string) ([]nodeGroup, error) {
	if spec = strings.TrimSpace(spec); spec == "" {
		return nil, errors.New("empty; " + specSyntaxHint)
	}
	n, err := strconv.Atoi(spec)
	if errors.Is(err, strconv.ErrRange) {
		return nil, fmt.Errorf("more than %d GPUs", maxClusterGPUs)
	}
	if err == nil {
		p := nodeGroup{spec, n, 1, PlainSpecGPUType, coresPerGPU, memMBPerGPU}
		return []nodeGroup{p}, p.checkSize()
	}
	var parts []nodeGroup
	for _, text := range strings.Split(spec, ",") {
		p, err := parseNodeGroup(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, checkNodeGroups(parts)
}

const specSyntaxHint = "want a number of GPUs, or NODESxGPUS[:TYPE[:CORES:GB]] separated by commas, like 16x4:a100,8x8:h100"

var nodeGroupPattern = regexp.MustCompile(`^(-?[0-9]+)x(-?[0-9]+)(?::([A-Za-z0-9][A-Za-z0-9_.-]*)(?::([0-9]{1,6}):([0-9]{1,6}))?)?$`)

func parseNodeGroup(text string) (nodeGroup, error) {
	m := nodeGroupPattern.FindStringSubmatch(text)
	if m == nil {
		return nodeGroup{}, newShapeError(text)
	}
	nodes, err := strconv.Atoi(m[1])
	gpus, err2 := strconv.Atoi(m[2])
	if err := errors.Join(err, err2); err != nil {
		return nodeGroup{}, fmt.Errorf("part %q: more than %d GPUs", text, maxClusterGPUs)
	}
	p := nodeGroup{text, nodes, gpus, m[3], coresPerGPU * gpus, memMBPerGPU * int64(gpus)}
	if m[4] != "" { // a few digits each
		p.cpus, _ = strconv.Atoi(m[4])
		gb, _ := strconv.Atoi(m[5])
		p.memMB = int64(gb) * mbPerGB
	}
	if p.gpuType == "" {
		p.gpuType = UntypedGPUType
	}
	return p, p.checkSize()
}

var countPattern = regexp.MustCompile(`^([0-9]+)(:.+)?$`)

// newShapeError says what is wrong with a part of another shape.
func newShapeError(text string) error {
	switch m := countPattern.FindStringSubmatch(text); {
	case text == "":
		return errors.New("a part is empty; " + specSyntaxHint)
	case m != nil:
		return fmt.Errorf("part %q: say how many servers of how many GPUs, like %sx1%s", text, m[1], m[2])
	}
	return fmt.Errorf("part %q: %s", text, specSyntaxHint)
}

func (p nodeGroup) checkSize() error {
	switch {
	case p.nodeCount < 1 || p.gpusPerNode < 1:
		return fmt.Errorf("part %q: want at least one server with one GPU", p.specText)
	case p.nodeCount > maxClusterGPUs || p.gpusPerNode > maxClusterGPUs || p.nodeCount*p.gpusPerNode > maxClusterGPUs:
		return fmt.Errorf("part %q: more than %d GPUs", p.specText, maxClusterGPUs)
	case p.cpus < 1 || p.memMB < 1:
		return fmt.Errorf("part %q: want at least one core and 1 GB a server", p.specText)
	}
	return nil
}

// checkNodeGroups refuses groups that cannot both be meant.
func checkNodeGroups(parts []nodeGroup) error {
	total := 0
	for i, p := range parts {
		total += p.nodeCount * p.gpusPerNode
		for _, q := range parts[:i] {
			switch {
			case p.gpuType == q.gpuType && p.gpusPerNode == q.gpusPerNode && p.cpus == q.cpus && p.memMB == q.memMB:
				return fmt.Errorf("parts %q and %q are of the same kind: write them as one", q.specText, p.specText)
			case (p.gpuType == UntypedGPUType) != (q.gpuType == UntypedGPUType):
				return fmt.Errorf("parts %q and %q: say the type of GPUs in both or in neither", q.specText, p.specText)
			}
		}
	}
	if total > maxClusterGPUs {
		return fmt.Errorf("%d GPUs in all, at most %d", total, maxClusterGPUs)
	}
	return nil
}
