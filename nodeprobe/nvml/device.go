//go:build cgo

package nvml

import (
	"cmp"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

// gpu measures one GPU.
func (d *Driver) gpu(index int) nodeprobe.GPU {
	r := &reader{Driver: d, g: nodeprobe.GPU{Index: index, Minor: -1}}
	dev, ret := d.lib.DeviceGetHandleByIndex(index)
	if ret != nvml.SUCCESS {
		return d.unread(index, ret)
	}
	r.dev = dev
	r.identity()
	r.utilisation()
	r.clocks()
	r.links()
	r.errors()
	r.slices()
	r.processes()
	if r.g.Lost != "" { // what it said before it went is worth nothing
		r.g.Busy, r.g.MemBusy = nodeprobe.Measure{}, nodeprobe.Measure{}
		r.g.Procs, r.g.ProcsKnown = nil, false
	}
	d.xids.add(d, dev, &r.g)
	d.xids.tell(&r.g)
	return r.g
}

// unread describes a GPU that cannot be had. One that could not be asked is
// not lost: what it does is unknown.
func (d *Driver) unread(index int, ret nvml.Return) nodeprobe.GPU {
	d.note(ret)
	g := d.known(index)
	if gone(ret) || vanished(ret) {
		g.Lost = reason(ret)
	} else {
		g.Error = reason(ret)
	}
	d.xids.tell(&g)
	return g
}

// note remembers that the driver as a whole answered like one that was taken
// away or exchanged under us.
func (d *Driver) note(ret nvml.Return) {
	if d.away == "" && away(ret) {
		d.away = reason(ret)
	}
}

// known returns what a GPU that no longer answers was.
func (d *Driver) known(index int) nodeprobe.GPU {
	if g, ok := d.seen[index]; ok {
		return g
	}
	return nodeprobe.GPU{Index: index, Minor: -1}
}

// reader reads one GPU. Once the GPU is found lost it asks nothing more.
type reader struct {
	*Driver
	dev nvml.Device
	g   nodeprobe.GPU
}

// may reports whether the function can be called.
func (r *reader) may(symbol string) bool { return r.g.Lost == "" && r.symbols.has(symbol) }

// good reports whether a call told something, and notes a lost GPU.
func (r *reader) good(ret nvml.Return) bool {
	r.note(ret)
	if gone(ret) && r.g.Lost == "" {
		r.g.Lost = reason(ret)
	}
	return ret == nvml.SUCCESS
}

// number reads one number, in units of the scale.
func number[T int | uint32 | uint64](r *reader, symbol string, call func() (T, nvml.Return), scale float64) nodeprobe.Measure {
	if !r.may(symbol) {
		return nodeprobe.Measure{}
	}
	v, ret := call()
	if !r.good(ret) {
		return nodeprobe.Measure{}
	}
	return nodeprobe.Known(float64(v) * scale)
}

func text(r *reader, symbol string, call func() (string, nvml.Return)) string {
	if !r.may(symbol) {
		return ""
	}
	s, ret := call()
	if !r.good(ret) {
		return ""
	}
	return s
}

func (r *reader) identity() {
	before := r.known(r.g.Index)
	r.g.UUID = cmp.Or(text(r, uuid, r.dev.GetUUID), before.UUID)
	r.g.Model = cmp.Or(text(r, name, r.dev.GetName), before.Model)
	if m := number(r, minor, r.dev.GetMinorNumber, 1); m.Known {
		r.g.Minor = int(m.Value)
	}
	if r.may(pci) {
		if info, ret := r.dev.GetPciInfo(); r.good(ret) {
			r.g.Bus = chars(info.BusId[:])
		}
	}
	r.seen[r.g.Index] = nodeprobe.GPU{Index: r.g.Index, UUID: r.g.UUID, Model: r.g.Model, Minor: r.g.Minor, Bus: r.g.Bus}
}

func chars(c []int8) string {
	b := make([]byte, 0, len(c))
	for _, v := range c {
		if v == 0 {
			break
		}
		b = append(b, byte(v))
	}
	return string(b)
}
