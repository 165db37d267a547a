package astraea

import (
	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// freeDevices counts the devices that can be granted, without regard to where they
// are: by type, and all whole GPUs together.
type freeDevices struct {
	freeCountByType map[string]float64
	isSliceType     map[string]bool // types that are parts of a GPU
	freeWholeGPUs   float64
}

// countFreeDevices counts the healthy devices of nodes that are up.
func countFreeDevices(s *policy.Snapshot) *freeDevices {
	f := &freeDevices{freeCountByType: map[string]float64{}, isSliceType: map[string]bool{}}
	for i := range s.Nodes {
		if s.Nodes[i].DownReason != "" {
			continue
		}
		for _, d := range s.Nodes[i].GPUs {
			f.isSliceType[d.Type] = d.PartPercent != 0 && d.PartPercent != 100
			f.add(d.Type, float64(max(d.Count-d.SickCount, 0)))
		}
	}
	return f
}

func (f *freeDevices) add(typ string, devices float64) {
	f.freeCountByType[typ] += devices
	if !f.isSliceType[typ] {
		f.freeWholeGPUs += devices
	}
}

// subtractHeld takes what a running job holds off, on nodes that are up.
func (f *freeDevices) subtractHeld(s *policy.Snapshot, e *engine.Entry) {
	for _, slot := range e.On {
		if n := s.Node(slot.Node); n != nil && n.DownReason == "" {
			f.add(slot.Type, -float64(slot.Count))
		}
	}
}

// take takes what the entry holds or asks, if it is there.
func (f *freeDevices) take(e *engine.Entry) bool {
	need, typ := float64(e.DeviceCount()), e.Ask.GPUs.Type
	if typ == "" && len(e.On) > 0 {
		typ = e.On.FirstType()
	}
	switch {
	case typ == "" && f.freeWholeGPUs < need:
		return false
	case typ == "":
		f.freeWholeGPUs -= need
		return true
	case f.freeCountByType[typ] < need || !f.isSliceType[typ] && f.freeWholeGPUs < need:
		return false
	}
	f.add(typ, -need)
	return true
}
