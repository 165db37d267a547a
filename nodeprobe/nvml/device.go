//go:build cgo

package nvml

import (
	"cmp"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

// readGPU measures one GPU.
func (d *Driver) readGPU(index int) nodeprobe.GPU {
	r := &gpuReader{Driver: d, gpu: nodeprobe.GPU{Index: index, Minor: -1}}
	dev, ret := d.nvml.DeviceGetHandleByIndex(index)
	if ret != nvml.SUCCESS {
		return d.unreadableGPU(index, ret)
	}
	r.dev = dev
	r.readIdentity()
	r.readUtilisation()
	r.readClocks()
	r.readLinks()
	r.readErrors()
	r.readSlices()
	r.readProcesses()
	if r.gpu.Lost != "" { // what it said before it went is worth nothing
		r.gpu.Busy, r.gpu.MemBusy = nodeprobe.Measure{}, nodeprobe.Measure{}
		r.gpu.Procs, r.gpu.ProcsKnown = nil, false
	}
	d.xidWatch.watchDevice(d, dev, &r.gpu)
	d.xidWatch.fillXid(&r.gpu)
	return r.gpu
}

// unreadableGPU describes a GPU that cannot be had. One that could not be asked is
// not lost: what it does is unknown.
func (d *Driver) unreadableGPU(index int, ret nvml.Return) nodeprobe.GPU {
	d.noteStale(ret)
	g := d.lastIdentity(index)
	if meansLostGPU(ret) || meansNoHandle(ret) {
		g.Lost = describeReturn(ret)
	} else {
		g.Error = describeReturn(ret)
	}
	d.xidWatch.fillXid(&g)
	return g
}

// noteStale remembers that the driver as a whole answered like one that was taken
// away or exchanged under us.
func (d *Driver) noteStale(ret nvml.Return) {
	if d.staleReason == "" && meansStaleDriver(ret) {
		d.staleReason = describeReturn(ret)
	}
}

// lastIdentity returns what a GPU that no longer answers was.
func (d *Driver) lastIdentity(index int) nodeprobe.GPU {
	if g, ok := d.identityByIndex[index]; ok {
		return g
	}
	return nodeprobe.GPU{Index: index, Minor: -1}
}

// gpuReader reads one GPU. Once the GPU is found lost it asks nothing more.
type gpuReader struct {
	*Driver
	dev nvml.Device
	gpu nodeprobe.GPU
}

// canCall reports whether the function can be called.
func (r *gpuReader) canCall(symbol string) bool { return r.gpu.Lost == "" && r.symbols.has(symbol) }

// succeeded reports whether a call told something, and notes a lost GPU.
func (r *gpuReader) succeeded(ret nvml.Return) bool {
	r.noteStale(ret)
	if meansLostGPU(ret) && r.gpu.Lost == "" {
		r.gpu.Lost = describeReturn(ret)
	}
	return ret == nvml.SUCCESS
}

// readNumber reads one number, in units of the scale.
func readNumber[T int | uint32 | uint64](r *gpuReader, symbol string, call func() (T, nvml.Return), scale float64) nodeprobe.Measure {
	if !r.canCall(symbol) {
		return nodeprobe.Measure{}
	}
	v, ret := call()
	if !r.succeeded(ret) {
		return nodeprobe.Measure{}
	}
	return nodeprobe.Known(float64(v) * scale)
}

func readText(r *gpuReader, symbol string, call func() (string, nvml.Return)) string {
	if !r.canCall(symbol) {
		return ""
	}
	s, ret := call()
	if !r.succeeded(ret) {
		return ""
	}
	return s
}

func (r *gpuReader) readIdentity() {
	before := r.lastIdentity(r.gpu.Index)
	r.gpu.UUID = cmp.Or(readText(r, uuidSymbol, r.dev.GetUUID), before.UUID)
	r.gpu.Model = cmp.Or(readText(r, nameSymbol, r.dev.GetName), before.Model)
	if m := readNumber(r, minorSymbol, r.dev.GetMinorNumber, 1); m.Known {
		r.gpu.Minor = int(m.Value)
	}
	if r.canCall(pciSymbol) {
		if info, ret := r.dev.GetPciInfo(); r.succeeded(ret) {
			r.gpu.Bus = textOfChars(info.BusId[:])
		}
	}
	r.identityByIndex[r.gpu.Index] = nodeprobe.GPU{Index: r.gpu.Index, UUID: r.gpu.UUID, Model: r.gpu.Model, Minor: r.gpu.Minor, Bus: r.gpu.Bus}
}

func textOfChars(c []int8) string {
	b := make([]byte, 0, len(c))
	for _, v := range c {
		if v == 0 {
			break
		}
		b = append(b, byte(v))
	}
	return string(b)
}
