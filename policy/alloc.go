// Package policy is the vocabulary of scheduling: plain values, and nothing that
// decides.
//
// A Policy is a pure function from a Snapshot (what is known of a cluster at
// one moment) to a Plan (what should happen to every job). The package and
// everything below it contains no clock, no network, no logging, no
// goroutines and no global randomness: time arrives as Snapshot.Now, memory
// as Snapshot.Memo, so the same code runs in unit tests, in the simulator, in
// observe mode and live, and a stored Snapshot gives the same Plan again, byte
// for byte.
//
// Package pool tells what is free and where a gang finds room. Package engine
// turns the answers of stages into a plan: most published systems are an
// engine.Pipeline. Package paper is their catalogue.
package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Slot is a number of devices of one type on one node.
type Slot struct {
	Node  string `json:"node"`
	Type  string `json:"type"`
	Count int    `json:"count"`
	// Devices are which of the node's devices of the type they are, as many as Count; none:
	// it is not known, or of no consequence. Only where jobs share GPUs, or cells of less than
	// a node are kept whole, does it matter.
	Devices DeviceSet `json:"devices,omitempty"`
}

// Alloc is an allocation, sorted by node, then type. Slurm itself chooses the
// devices of a node; a plan counts them, and says which it would have only where
// it packs.
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

// HasSeveralTypes reports whether devices are of more than one type.
func (a Alloc) HasSeveralTypes() bool {
	return slices.ContainsFunc(a, func(s Slot) bool { return s.Type != a[0].Type })
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

// Equal reports whether both are the same devices on the same nodes, as far as is known which
// they are.
func (a Alloc) Equal(b Alloc) bool {
	return slices.EqualFunc(a, b, func(x, y Slot) bool {
		return x.Node == y.Node && x.Type == y.Type && x.Count == y.Count && (x.Devices == y.Devices || x.Devices == 0 || y.Devices == 0)
	})
}

// String prints "n1:4×a100,n2:4×a100", with the devices where they are known: "n1:2×a100[0-1]".
func (a Alloc) String() string {
	var b strings.Builder
	for i, s := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d×%s", s.Node, s.Count, s.Type)
		if s.Devices != 0 {
			fmt.Fprintf(&b, "[%v]", s.Devices)
		}
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

// CountBeside returns the number of devices on the node of slot i; the slots of a node stand together.
func (a Alloc) CountBeside(i int) (n int) {
	for i > 0 && a[i-1].Node == a[i].Node {
		i--
	}
	for k := i; k < len(a) && a[k].Node == a[i].Node; k++ {
		n += a[k].Count
	}
	return n
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
