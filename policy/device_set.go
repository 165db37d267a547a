package policy

import (
	"math/bits"
	"strconv"
	"strings"
)

// DeviceSet is a set of a node's devices of one type, by their index among those of the
// type, from 0: bit i stands for device i. The zero set says that they are not known.
type DeviceSet uint64

// MaxDeviceIndex is the largest index that a DeviceSet holds.
const MaxDeviceIndex = 63

// NewDeviceSet returns the set of the devices with the indexes. Indexes that it cannot hold make it
// unknown as a whole.
func NewDeviceSet(indexes ...int) DeviceSet {
	var d DeviceSet
	for _, i := range indexes {
		if i < 0 || i > MaxDeviceIndex {
			return 0
		}
		d |= 1 << i
	}
	return d
}

// Has reports whether the device with the index is in the set.
func (d DeviceSet) Has(index int) bool {
	return index >= 0 && index <= MaxDeviceIndex && d&(1<<index) != 0
}

// Count returns the number of devices.
func (d DeviceSet) Count() int { return bits.OnesCount64(uint64(d)) }

// Indexes returns the indexes of the devices, ascending.
func (d DeviceSet) Indexes() []int {
	out := make([]int, 0, d.Count())
	for rest := uint64(d); rest != 0; rest &= rest - 1 {
		out = append(out, bits.TrailingZeros64(rest))
	}
	return out
}

// String prints "0-3,7" as Slurm does, or "?" when they are not known.
func (d DeviceSet) String() string {
	if d == 0 {
		return "?"
	}
	var b strings.Builder
	for from := 0; from <= MaxDeviceIndex; from++ {
		if !d.Has(from) {
			continue
		}
		to := from
		for d.Has(to + 1) {
			to++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(from))
		if to > from {
			b.WriteString("-" + strconv.Itoa(to))
		}
		from = to
	}
	return b.String()
}
