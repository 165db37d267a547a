//go:build cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	events         = symbol("nvmlEventSetCreate")
	eventsFree     = symbol("nvmlEventSetFree")
	eventsRegister = symbol("nvmlDeviceRegisterEvents")
	eventsWait     = symbol("nvmlEventSetWait", "nvmlEventSetWait_v2")
)

// watch collects the Xids that the driver reports of the GPUs. A nil watch
// hears nothing.
type watch struct {
	set nvml.EventSet
	of  map[nvml.Device]string // UUID; "" where the driver refused to tell
	by  map[string]*nodeprobe.Xid
}

func (d *Driver) newWatch() *watch {
	for _, symbol := range []string{events, eventsRegister, eventsWait} {
		if !d.symbols.has(symbol) {
			return nil
		}
	}
	set, ret := d.lib.EventSetCreate()
	if ret != nvml.SUCCESS {
		return nil
	}
	return &watch{set: set, of: map[nvml.Device]string{}, by: map[string]*nodeprobe.Xid{}}
}

// add asks the driver to report a GPU's Xids from now on, once.
func (w *watch) add(d *Driver, dev nvml.Device, g *nodeprobe.GPU) {
	if w == nil || g.UUID == "" {
		return
	}
	id, asked := w.of[dev]
	if !asked {
		if d.lib.DeviceRegisterEvents(dev, nvml.EventTypeXidCriticalError, w.set) == nvml.SUCCESS {
			id = g.UUID
		}
		w.of[dev] = id
	}
	g.Errors.XidWatched = id != ""
}

// drain takes what the driver has to tell, without waiting. The number is
// bounded: a GPU can fail faster than it is listened to.
func (w *watch) drain(d *Driver) {
	if w == nil {
		return
	}
	for range 1000 {
		e, ret := d.lib.EventSetWait(w.set, 0)
		if ret != nvml.SUCCESS {
			return
		}
		if e.EventType == nvml.EventTypeXidCriticalError {
			w.note(w.of[e.Device], int(e.EventData))
		}
	}
}

// note keeps the worst Xid of a GPU.
func (w *watch) note(uuid string, code int) {
	now := &nodeprobe.Xid{Code: code, At: time.Now().UTC(), Count: 1}
	if old := w.by[uuid]; old != nil {
		if !nodeprobe.Worse(now, old) {
			return
		}
		if old.Code == code {
			now.Count = old.Count + 1
		}
	}
	w.by[uuid] = now
}

// tell writes the worst Xid heard of to the GPU.
func (w *watch) tell(g *nodeprobe.GPU) {
	if w != nil {
		g.Errors.Xid = w.by[g.UUID]
	}
}

func (w *watch) close(d *Driver) {
	if w != nil && d.symbols.has(eventsFree) {
		d.lib.EventSetFree(w.set)
	}
}
