package pool

import (
	"math/bits"
	"slices"

	"fairbridge/policy"
)

// freeTotals are the free devices on all nodes that are up.
type freeTotals struct {
	typeTotals    []freeOfType
	freeWholeGPUs int      // free whole GPUs of all types
	wholeGPUTypes []string // that are whole GPUs, the fastest first
}

type freeOfType struct {
	gpuType     string
	freeDevices int
}

// addType adds the type of the devices.
func (t *freeTotals) addType(d policy.NodeDevices) {
	if t.findType(d.Type) == nil {
		t.typeTotals = append(t.typeTotals, freeOfType{gpuType: d.Type})
	}
	if d.IsWholeGPU() && !slices.Contains(t.wholeGPUTypes, d.Type) {
		t.wholeGPUTypes = append(t.wholeGPUTypes, d.Type)
	}
}

// findType returns that of a type; nil: there are no such GPUs.
func (t *freeTotals) findType(gpuType string) *freeOfType {
	for i := range t.typeTotals {
		if t.typeTotals[i].gpuType == gpuType {
			return &t.typeTotals[i]
		}
	}
	return nil
}

// addFreeDevices counts more free devices of the row.
func (t *freeTotals) addFreeDevices(r *typeDevices, devices int) {
	t.findType(r.gpuType).freeDevices += devices
	if r.isWholeGPU {
		t.freeWholeGPUs += devices
	}
}

func (t freeTotals) clone() freeTotals {
	t.typeTotals = slices.Clone(t.typeTotals)
	return t
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(size int) bitset { return make(bitset, (size+63)/64) }

// set puts the number in, or takes it out.
func (b bitset) set(i int, in bool) {
	if bit := uint64(1) << (i % 64); in {
		b[i/64] |= bit
	} else {
		b[i/64] &^= bit
	}
}

// nextFrom returns the first number from i on that is in; -1: none is.
func (b bitset) nextFrom(i int) int {
	for w := i / 64; w < len(b); w++ {
		word := b[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}
