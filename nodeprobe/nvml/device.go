//go:build cgo

package nvml

import (
	"cmp"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

// readGPU measures one GPU.
func (d *Driver) readGPU(index int) nodeprobe.GPU {
	r := &gpuReader{Driver: d, gpu: nodeprobe.GPU{Index: index, MinorNumber: -1}}
	dev, ret := d.nvml.DeviceGetHandleByIndex(index)
	if ret != nvml.SUCCESS {
		return d.unreadableGPU(index, ret)
	}
	r.device = dev
	r.readIdentity()
	r.readUtilisation()
	r.readClocks()
	r.readLinks()
	r.readErrors()
	r.readSlices()
	r.readProcesses()
	r.readProcessUse()
	if r.gpu.LostReason != "" { // what it said before it went is worth nothing
		r.gpu.Busy, r.gpu.MemBusy = nodeprobe.OptionalValue{}, nodeprobe.OptionalValue{}
		r.gpu.Processes, r.gpu.ProcessesKnown = nil, false
	}
	d.xidWatch.watchDevice(d, dev, &r.gpu)
	d.xidWatch.fillXid(&r.gpu)
	return r.gpu
}

// unreadableGPU describes a GPU that cannot be had. One that could not be asked is
// not lost: what it does is unknown.
func (d *Driver) unreadableGPU(index int, ret nvml.Return) nodeprobe.GPU {
	d.noteStaleDriver(ret)
	g := d.lastIdentity(index)
	if meansLostGPU(ret) || meansNoHandle(ret) {
		g.LostReason = describeReturn(ret)
	} else {
		g.Error = describeReturn(ret)
	}
	d.xidWatch.fillXid(&g)
	return g
}

// noteStaleDriver remembers that the driver as a whole answered like one that was taken
// away or exchanged under us.
func (d *Driver) noteStaleDriver(ret nvml.Return) {
	if d.staleReason == "" && meansStaleDriver(ret) {
		d.staleReason = describeReturn(ret)
	}
}

// lastIdentity returns what a GPU that no longer answers was.
func (d *Driver) lastIdentity(index int) nodeprobe.GPU {
	if g, ok := d.identityByIndex[index]; ok {
		return g
	}
	return nodeprobe.GPU{Index: index, MinorNumber: -1}
}

// gpuReader reads one GPU. Once the GPU is found lost it asks nothing more.
type gpuReader struct {
	*Driver
	device nvml.Device
	gpu    nodeprobe.GPU
}

// canCall reports whether the function can be called.
func (r *gpuReader) canCall(symbol string) bool {
	return r.gpu.LostReason == "" && r.symbols.hasSymbol(symbol)
}

// isSuccess reports whether a call told something, and notes a lost GPU.
func (r *gpuReader) isSuccess(ret nvml.Return) bool {
	r.noteStaleDriver(ret)
	if meansLostGPU(ret) && r.gpu.LostReason == "" {
		r.gpu.LostReason = describeReturn(ret)
	}
	return ret == nvml.SUCCESS
}

// readNumber reads one number, in units of the scale.
func readNumber[T int | uint32 | uint64](r *gpuReader, symbol string, call func() (T, nvml.Return), scale float64) nodeprobe.OptionalValue {
	if !r.canCall(symbol) {
		return nodeprobe.OptionalValue{}
	}
	v, ret := call()
	if !r.isSuccess(ret) {
		return nodeprobe.OptionalValue{}
	}
	return nodeprobe.KnownValue(float64(v) * scale)
}

func readText(r *gpuReader, symbol string, call func() (string, nvml.Return)) string {
	if !r.canCall(symbol) {
		return ""
	}
	s, ret := call()
	if !r.isSuccess(ret) {
		return ""
	}
	return s
}

func (r *gpuReader) readIdentity() {
	before := r.lastIdentity(r.gpu.Index)
	r.gpu.UUID = cmp.Or(readText(r, deviceUUIDSymbol, r.device.GetUUID), before.UUID)
	r.gpu.Model = cmp.Or(readText(r, deviceNameSymbol, r.device.GetName), before.Model)
	if m := readNumber(r, minorNumberSymbol, r.device.GetMinorNumber, 1); m.Known {
		r.gpu.MinorNumber = int(m.Value)
	}
	if r.canCall(pciInfoSymbol) {
		if info, ret := r.device.GetPciInfo(); r.isSuccess(ret) {
			r.gpu.PCIBusID = textFromChars(info.BusId[:])
		}
	}
	r.identityByIndex[r.gpu.Index] = nodeprobe.GPU{Index: r.gpu.Index, UUID: r.gpu.UUID, Model: r.gpu.Model, MinorNumber: r.gpu.MinorNumber, PCIBusID: r.gpu.PCIBusID}
}

func textFromChars(c []int8) string {
	b := make([]byte, 0, len(c))
	for _, v := range c {
		if v == 0 {
			break
		}
		b = append(b, byte(v))
	}
	return string(b)
}
