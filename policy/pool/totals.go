package pool

import (
	"math/bits"
	"slices"

	"fairbridge/policy"
)

// totals are the free devices on all nodes that are up.
type totals struct {
	byType        []freeOfType
	freeWholeGPUs int      // free whole GPUs of all types
	wholeTypes    []string // that are whole GPUs, the fastest first
}

type freeOfType struct {
	gpuType string
	free    int
}

// addType adds the type of the devices.
func (t *totals) addType(d policy.NodeDevices) {
	if t.find(d.Type) == nil {
		t.byType = append(t.byType, freeOfType{gpuType: d.Type})
	}
	if d.IsWholeGPU() && !slices.Contains(t.wholeTypes, d.Type) {
		t.wholeTypes = append(t.wholeTypes, d.Type)
	}
}

// find returns that of a type; nil: there are no such GPUs.
func (t *totals) find(gpuType string) *freeOfType {
	for i := range t.byType {
		if t.byType[i].gpuType == gpuType {
			return &t.byType[i]
		}
	}
	return nil
}

// add counts more free devices of the row.
func (t *totals) add(r *typeDevices, devices int) {
	t.find(r.gpuType).free += devices
	if r.isWholeGPU {
		t.freeWholeGPUs += devices
	}
}

func (t totals) clone() totals {
	t.byType = slices.Clone(t.byType)
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

// next returns the first number from i on that is in; -1: none is.
func (b bitset) next(i int) int {
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
