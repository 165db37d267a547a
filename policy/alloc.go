package policy

import (
	"fmt"
	"strings"
)

// Slot is a number of devices of one type on one node.
type Slot struct {
	Node  string `json:"node"`
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// Alloc is an allocation, sorted by node, then type. Slurm itself chooses the
// devices of a node; a plan counts them.
type Alloc []Slot

// Count returns the number of devices.
func (a Alloc) Count() int {
	n := 0
	for _, s := range a {
		n += s.Count
	}
	return n
}

// FirstType returns the type of the first devices; "" when none are held, or none
// that are known.
func (a Alloc) FirstType() string {
	if len(a) == 0 {
		return ""
	}
	return a[0].Type
}

// Nodes returns the node names, each once, in order.
func (a Alloc) Nodes() []string {
	var names []string
	for _, s := range a {
		if len(names) == 0 || names[len(names)-1] != s.Node {
			names = append(names, s.Node)
		}
	}
	return names
}

// Equal reports whether both are the same devices on the same nodes.
func (a Alloc) Equal(b Alloc) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// String prints "n1:4×a100,n2:4×a100".
func (a Alloc) String() string {
	var b strings.Builder
	for i, s := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d×%s", s.Node, s.Count, s.Type)
	}
	return b.String()
}

// PortionForNode returns a node's share of n when it has here of all devices, rounded up.
func PortionForNode[N int | int64](n N, here, all int) N {
	if all == 0 || n == 0 {
		return 0
	}
	return (n*N(here) + N(all) - 1) / N(all)
}

// Compare orders slots by node, then type.
func (s Slot) Compare(t Slot) int {
	if c := strings.Compare(s.Node, t.Node); c != 0 {
		return c
	}
	return strings.Compare(s.Type, t.Type)
}

// CountOn returns the number of devices on the node.
func (a Alloc) CountOn(node string) int {
	n := 0
	for _, s := range a {
		if s.Node == node {
			n += s.Count
		}
	}
	return n
}
