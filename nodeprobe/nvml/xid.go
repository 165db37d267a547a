//go:build cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	createEventSetSymbol = newestSymbol("nvmlEventSetCreate")
	freeEventSetSymbol   = newestSymbol("nvmlEventSetFree")
	registerEventsSymbol = newestSymbol("nvmlDeviceRegisterEvents")
	waitForEventSymbol   = newestSymbol("nvmlEventSetWait", "nvmlEventSetWait_v2")
)

// xidWatch collects the Xids that the driver reports of the GPUs. A nil watch
// hears nothing.
type xidWatch struct {
	eventSet       nvml.EventSet
	uuidByDevice   map[nvml.Device]string // UUID; "" where the driver refused to tell
	worstXidByUUID map[string]*nodeprobe.Xid
}

func (d *Driver) watchXids() *xidWatch {
	for _, symbol := range []string{createEventSetSymbol, registerEventsSymbol, waitForEventSymbol} {
		if !d.symbols.hasSymbol(symbol) {
			return nil
		}
	}
	set, ret := d.nvml.EventSetCreate()
	if ret != nvml.SUCCESS {
		return nil
	}
	return &xidWatch{eventSet: set, uuidByDevice: map[nvml.Device]string{}, worstXidByUUID: map[string]*nodeprobe.Xid{}}
}

// watchDevice asks the driver to report a GPU's Xids from now on, once.
func (w *xidWatch) watchDevice(d *Driver, dev nvml.Device, g *nodeprobe.GPU) {
	if w == nil || g.UUID == "" {
		return
	}
	id, asked := w.uuidByDevice[dev]
	if !asked {
		if d.nvml.DeviceRegisterEvents(dev, nvml.EventTypeXidCriticalError, w.eventSet) == nvml.SUCCESS {
			id = g.UUID
		}
		w.uuidByDevice[dev] = id
	}
	g.Errors.XidWatched = id != ""
}

// readEvents takes what the driver has to tell, without waiting. The number is
// bounded: a GPU can fail faster than it is listened to.
func (w *xidWatch) readEvents(d *Driver) {
	if w == nil {
		return
	}
	for range 1000 {
		e, ret := d.nvml.EventSetWait(w.eventSet, 0)
		if ret != nvml.SUCCESS {
			return
		}
		if e.EventType == nvml.EventTypeXidCriticalError {
			w.recordXid(w.uuidByDevice[e.Device], int(e.EventData))
		}
	}
}

// recordXid keeps the worst Xid of a GPU.
func (w *xidWatch) recordXid(uuid string, code int) {
	now := &nodeprobe.Xid{Code: code, HeardAt: time.Now().UTC(), Count: 1}
	if old := w.worstXidByUUID[uuid]; old != nil {
		if !nodeprobe.IsWorseXid(now, old) {
			return
		}
		if old.Code == code {
			now.Count = old.Count + 1
		}
	}
	w.worstXidByUUID[uuid] = now
}

// fillXid writes the worst Xid heard of to the GPU.
func (w *xidWatch) fillXid(g *nodeprobe.GPU) {
	if w != nil {
		g.Errors.Xid = w.worstXidByUUID[g.UUID]
	}
}

func (w *xidWatch) close(d *Driver) {
	if w != nil && d.symbols.hasSymbol(freeEventSetSymbol) {
		d.nvml.EventSetFree(w.eventSet)
	}
}
