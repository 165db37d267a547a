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
