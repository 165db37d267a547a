// Package cluster reads the cluster to simulate from a line:
//
//	32                      32 servers of one GPU, type v100, as the published tables have it
//	16x4:a100,8x8:h100      16 servers of four A100 and eight of eight H100
//	8x4                     8 servers of four GPUs whose type does not matter
package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/policy"
)

// Partition is the one partition all nodes are in.
const Partition = "gpu"

// The types of GPUs whose type is not said.
const (
	SingleType = "v100" // of a bare number, as in the published tables
	NoType     = "gpu"  // of parts without a type
)

// A line says nothing of cores and memory: there is plenty of them, in the
// proportion of today's servers.
const (
	coresPerGPU = 64
	memPerGPU   = 1 << 20 // MB
)

// maxGPUs is the largest cluster, in GPUs.
const maxGPUs = 1 << 20

// part is one group of equal servers.
type part struct {
	text        string
	nodes, gpus int
	typ         string
}

// Parse reads a cluster. Nodes are named node1, node2, … with zeros in front
// so that they sort, in the order of the parts. The error names the part that
// makes no sense or contradicts another.
func Parse(spec string) ([]policy.Node, error) {
	parts, err := split(spec)
	if err != nil {
		return nil, fmt.Errorf("cluster %q: %w", spec, err)
	}
	n := 0
	for _, p := range parts {
		n += p.nodes
	}
	nodes := make([]policy.Node, 0, n)
	for _, p := range parts {
		for range p.nodes {
			nodes = append(nodes, p.node(fmt.Sprintf("node%0*d", len(strconv.Itoa(n)), len(nodes)+1)))
		}
	}
	return nodes, nil
}

// GPUs counts the GPUs of the nodes.
func GPUs(nodes []policy.Node) int {
	n := 0
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			n += d.Count
		}
	}
	return n
}

// GPUsByType counts the GPUs of the nodes by type.
func GPUsByType(nodes []policy.Node) map[string]int {
	n := map[string]int{}
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			n[d.Type] += d.Count
		}
	}
	return n
}

func (p part) node(name string) policy.Node {
	return policy.Node{
		Name: name, Partitions: []string{Partition}, CPUs: coresPerGPU * p.gpus, MemMB: memPerGPU * int64(p.gpus),
		GPUs: []policy.Devices{{Type: p.typ, Count: p.gpus}},
	}
}

func split(spec string) ([]part, error) {
	if spec = strings.TrimSpace(spec); spec == "" {
		return nil, errors.New("empty; " + wanted)
	}
	if n, err := strconv.Atoi(spec); err == nil {
		p := part{spec, n, 1, SingleType}
		return []part{p}, p.check()
	}
	var parts []part
	for _, text := range strings.Split(spec, ",") {
		p, err := parsePart(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, checkTogether(parts)
}

const wanted = "want a number of GPUs, or NODESxGPUS[:TYPE] separated by commas, like 16x4:a100,8x8:h100"

var partForm = regexp.MustCompile(`^(-?[0-9]+)x(-?[0-9]+)(?::([A-Za-z0-9][A-Za-z0-9_.-]*))?$`)

func parsePart(text string) (part, error) {
	m := partForm.FindStringSubmatch(text)
	if m == nil {
		return part{}, shapeError(text)
	}
	nodes, err := strconv.Atoi(m[1])
	gpus, err2 := strconv.Atoi(m[2])
	if err := errors.Join(err, err2); err != nil {
		return part{}, fmt.Errorf("part %q: a number is too large", text)
	}
	p := part{text, nodes, gpus, m[3]}
	if p.typ == "" {
		p.typ = NoType
	}
	return p, p.check()
}

var counted = regexp.MustCompile(`^([0-9]+)(:.+)?$`)

// shapeError says what is wrong with a part of another shape.
func shapeError(text string) error {
	switch m := counted.FindStringSubmatch(text); {
	case text == "":
		return errors.New("a part is empty; " + wanted)
	case m != nil:
		return fmt.Errorf("part %q: say how many servers of how many GPUs, like %sx1%s", text, m[1], m[2])
	}
	return fmt.Errorf("part %q: %s", text, wanted)
}

func (p part) check() error {
	switch {
	case p.nodes < 1 || p.gpus < 1:
		return fmt.Errorf("part %q: want at least one server with one GPU", p.text)
	case p.nodes > maxGPUs || p.gpus > maxGPUs || p.nodes*p.gpus > maxGPUs:
		return fmt.Errorf("part %q: more than %d GPUs", p.text, maxGPUs)
	}
	return nil
}

// checkTogether finds parts that cannot both be meant.
func checkTogether(parts []part) error {
	total := 0
	for i, p := range parts {
		total += p.nodes * p.gpus
		for _, q := range parts[:i] {
			switch {
			case p.typ == q.typ && p.gpus == q.gpus:
				return fmt.Errorf("parts %q and %q are of the same kind: write them as one", q.text, p.text)
			case (p.typ == NoType) != (q.typ == NoType):
				return fmt.Errorf("parts %q and %q: say the type of GPUs in both or in neither", q.text, p.text)
			}
		}
	}
	if total > maxGPUs {
		return fmt.Errorf("%d GPUs in all, at most %d", total, maxGPUs)
	}
	return nil
}
