//go:build cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	eventsSymbol         = symbol("nvmlEventSetCreate")
	eventsFreeSymbol     = symbol("nvmlEventSetFree")
	eventsRegisterSymbol = symbol("nvmlDeviceRegisterEvents")
	eventsWaitSymbol     = symbol("nvmlEventSetWait", "nvmlEventSetWait_v2")
)

// xidWatch collects the Xids that the driver reports of the GPUs. A nil watch
// hears nothing.
type xidWatch struct {
	set   nvml.EventSet
	uuids map[nvml.Device]string // UUID; "" where the driver refused to tell
	worst map[string]*nodeprobe.Xid
}

func (d *Driver) watchXids() *xidWatch {
	for _, symbol := range []string{eventsSymbol, eventsRegisterSymbol, eventsWaitSymbol} {
		if !d.symbols.has(symbol) {
			return nil
		}
	}
	set, ret := d.lib.EventSetCreate()
	if ret != nvml.SUCCESS {
		return nil
	}
	return &xidWatch{set: set, uuids: map[nvml.Device]string{}, worst: map[string]*nodeprobe.Xid{}}
}

// add asks the driver to report a GPU's Xids from now on, once.
func (w *xidWatch) add(d *Driver, dev nvml.Device, g *nodeprobe.GPU) {
	if w == nil || g.UUID == "" {
		return
	}
	id, asked := w.uuids[dev]
	if !asked {
		if d.lib.DeviceRegisterEvents(dev, nvml.EventTypeXidCriticalError, w.set) == nvml.SUCCESS {
			id = g.UUID
		}
		w.uuids[dev] = id
	}
	g.Errors.XidWatched = id != ""
}

// drain takes what the driver has to tell, without waiting. The number is
// bounded: a GPU can fail faster than it is listened to.
func (w *xidWatch) drain(d *Driver) {
	if w == nil {
		return
	}
	for range 1000 {
		e, ret := d.lib.EventSetWait(w.set, 0)
		if ret != nvml.SUCCESS {
			return
		}
		if e.EventType == nvml.EventTypeXidCriticalError {
			w.record(w.uuids[e.Device], int(e.EventData))
		}
	}
}

// record keeps the worst Xid of a GPU.
func (w *xidWatch) record(uuid string, code int) {
	now := &nodeprobe.Xid{Code: code, At: time.Now().UTC(), Count: 1}
	if old := w.worst[uuid]; old != nil {
		if !nodeprobe.WorseXid(now, old) {
			return
		}
		if old.Code == code {
			now.Count = old.Count + 1
		}
	}
	w.worst[uuid] = now
}

// report writes the worst Xid heard of to the GPU.
func (w *xidWatch) report(g *nodeprobe.GPU) {
	if w != nil {
		g.Errors.Xid = w.worst[g.UUID]
	}
}

func (w *xidWatch) close(d *Driver) {
	if w != nil && d.symbols.has(eventsFreeSymbol) {
		d.lib.EventSetFree(w.set)
	}
}
