// Package fakenvml builds a small libnvidia-ml.so.1 with the C compiler whose
// GPUs follow a text file, so that tests and the demo run the probe as it is,
// loading a driver library as it would NVIDIA's, on machines without a GPU.
//
// The file is named by the environment variable FAKENVML_STATE and read again
// whenever it changes. Each line is a GPU or the driver; # starts a comment:
//
//	driver version=550.54.15 cuda=12040
//	gpu 0 model="NVIDIA A100-SXM4-80GB" busy=93 mem=40960/81920 watts=310 temp=61 pids=4711:40000
//	gpu 1 busy=0 xid=79
//	gpu 2 mig=1g.10gb,1g.10gb pids=4712:5000@1
//	gpu 3 hang
//
// Words of a gpu line, all optional: model= uuid= minor= busy= and membusy=
// (percent), mem=USED/TOTAL (MiB), watts= limit=, temp= (°C), sm= memclock=
// (MHz), throttle= (NVML's bit mask), pids=PID:MIB,… (on a MIG slice
// PID:MIB@SLICE), puse=PID:BUSY/MEMBUSY,… (percent, what processes did since
// the last call), ecc=CORRECTED/UNCORRECTED, retired= remapped= (counts),
// xid=, mig=PROFILE,…, na=NAME,… (readings the device does not support: busy,
// mem, watts, limit, energy, temp, clocks, throttle, pcie, fields, ecc,
// retired, remapped, mig, pids, puse, xid, minor, pci; handle: no permission at all),
// ret=NAME:CODE,… (calls that answer with this return code of NVML's; the names
// of na= and uuid, name and all) and the flags pending (a
// retirement or remapping waits), failed (a remapping failed), lost, hang
// (calls do not return until the word is gone) and crash (the next call ends
// the process). Words of the driver line: version= cuda= hang, ret= (names init
// and count), and missing (the library is there, the driver is not).
package fakenvml

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// GPU is one line of the state file. Zero numbers are written as zero, but for
// TotalMB, whose zero leaves the driver's default.
type GPU struct {
	Model       string // "": the default
	BusyPercent int    // percent
	UsedMB      int64
	TotalMB     int64
	Watts       float64
	TempC       int
	Processes   []Process
	Xid         int
	ExtraWords  string // further words, as the file has them: "lost", "mig=1g.10gb", "na=busy"
}

// Process is a process on a GPU.
type Process struct {
	PID   int
	MemMB int64
}

// String is the GPU's line without its index.
func (g GPU) String() string {
	var w []string
	add := func(format string, a ...any) { w = append(w, fmt.Sprintf(format, a...)) }
	if g.Model != "" {
		add("model=%q", g.Model)
	}
	add("busy=%d", g.BusyPercent)
	if g.TotalMB > 0 {
		add("mem=%d/%d", g.UsedMB, g.TotalMB)
	} else {
		add("mem=%d/81920", g.UsedMB)
	}
	add("watts=%g temp=%d", g.Watts, g.TempC)
	if len(g.Processes) > 0 {
		add("pids=%s", formatProcesses(g.Processes))
	}
	if g.Xid != 0 {
		add("xid=%d", g.Xid)
	}
	if g.ExtraWords != "" {
		w = append(w, g.ExtraWords)
	}
	return strings.Join(w, " ")
}

func formatProcesses(list []Process) string {
	var w []string
	for _, p := range list {
		w = append(w, fmt.Sprintf("%d:%d", p.PID, p.MemMB))
	}
	return strings.Join(w, ",")
}

// WriteState replaces the state file at once, so that a reader sees the old or the
// new GPUs and nothing between.
func WriteState(path string, gpus []GPU) error {
	var b strings.Builder
	for i, g := range gpus {
		fmt.Fprintf(&b, "gpu %d %s\n", i, g)
	}
	return replaceFile(path, b.String())
}

func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".state-")
	if err != nil {
		return fmt.Errorf("writing fake GPUs: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing fake GPUs: %w", err)
	}
	return nil
}
