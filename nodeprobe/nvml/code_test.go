//go:build cgo

package nvml_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

// codes are NVML's return codes but success.
func codes() []int {
	list := []int{int(nvml.ERROR_UNKNOWN), 12345} // and one of a later release
	for c := int(nvml.ERROR_UNINITIALIZED); c <= int(nvml.ERROR_RESET_TYPE_NOT_SUPPORTED); c++ {
		list = append(list, c)
	}
	return list
}

// codesOf leaves out what ends the reader.
func codesOf(call string) []int {
	list := codes()
	if slices.Contains(endless, call) {
		list = slices.DeleteFunc(list, func(c int) bool { return c == int(nvml.ERROR_INSUFFICIENT_SIZE) })
	}
	return list
}

// endless are the calls that are asked again with more room.
var endless = []string{"all", "pids", "retired"}

// A list that never fits ends the reader, soon, and not the node. Which
// allocation fails first, and so the reader's last words, differ: Go's, libc's,
// a thread's stack, the race detector's.
func TestListThatNeverFits(t *testing.T) {
	lib := fake(t)
	for _, call := range endless[1:] {
		_, err := reading(t, lib, fmt.Sprintf("gpu 0 uuid=GPU-a ret=%s:%d\n", call, nvml.ERROR_INSUFFICIENT_SIZE))
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			t.Errorf("%s: it did not end: %.300v", call, err)
			continue
		}
		used := ended.SysUsage().(*syscall.Rusage)
		busy := time.Duration(used.Utime.Nano() + used.Stime.Nano())
		if most := used.Maxrss << 10; most > 5<<28 || busy > 2*time.Minute {
			t.Errorf("%s: ended after %v of processor time and %d MiB: %.300v", call, busy, most>>20, err)
		}
	}
}

// calls are the fake library's names of what can fail; all: every call.
var calls = []string{
	"all", "handle", "uuid", "name", "minor", "pci", "busy", "mem", "watts", "limit", "energy", "temp", "clocks", "throttle",
	"pcie", "fields", "ecc", "retired", "remapped", "mig", "pids", "xid",
}

// Whatever a call answers, a GPU that is busy never looks idle, and one with a
// process never looks free of any: it is as it was, unknown, or lost.
func TestEveryCodeOfEveryCall(t *testing.T) {
	const well = "gpu 0 uuid=GPU-a busy=93 watts=300 pids=7:100\ngpu 1 uuid=GPU-b busy=50 pids=8:100\n"
	lib := fake(t)
	for _, call := range calls {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			states := []string{well}
			for _, code := range codesOf(call) {
				states = append(states, fmt.Sprintf("gpu 0 uuid=GPU-a busy=93 watts=300 pids=7:100 ret=%s:%d\ngpu 1 uuid=GPU-b busy=50 pids=8:100\n", call, code))
			}
			a := read(t, lib, states...)
			for i, code := range codesOf(call) {
				what := fmt.Sprintf("%s answers %d", call, code)
				if gpus := a.Looks[i+1]; gpus != nil {
					if len(gpus) != 2 {
						t.Fatalf("%s: %d GPUs", what, len(gpus))
					}
					neverIdle(t, what, &gpus[0])
					if g := &gpus[1]; g.Busy != known(0.5) || g.LostReason != "" || g.Error != "" {
						t.Errorf("%s: its neighbour: %+v", what, g)
					}
				} else if !strings.Contains(a.Errors[i+1], "reading GPUs") {
					t.Errorf("%s: no GPUs, but %s", what, a.Errors[i+1])
				}
			}
		})
	}
}

func neverIdle(t *testing.T, what string, g *nodeprobe.GPU) {
	t.Helper()
	if g.Busy.Known && g.Busy != known(0.93) {
		t.Errorf("%s: looks %v busy", what, g.Busy.Value)
	}
	if g.LostReason != "" && (g.Busy.Known || g.ProcessesKnown) {
		t.Errorf("%s: lost, but measured: %+v", what, g)
	}
	if g.ProcessesKnown && len(g.Processes) != 1 {
		t.Errorf("%s: looks free of processes", what)
	}
	if nodeprobe.JobsOnGPUs([]nodeprobe.GPU{*g}) != nil {
		t.Errorf("%s: a job from nowhere", what)
	}
}

// What a code says about a GPU that could be had before.
func TestLostAndUnreadable(t *testing.T) {
	for code, want := range map[nvml.Return]string{
		nvml.ERROR_GPU_IS_LOST: "lost", nvml.ERROR_RESET_REQUIRED: "lost", nvml.ERROR_UNKNOWN: "lost", nvml.ERROR_GPU_NOT_FOUND: "lost",
		nvml.ERROR_IRQ_ISSUE: "lost", nvml.ERROR_INSUFFICIENT_POWER: "lost", nvml.ERROR_NOT_FOUND: "lost",
		nvml.ERROR_TIMEOUT: "unread", nvml.ERROR_NO_PERMISSION: "unread", nvml.ERROR_MEMORY: "unread", nvml.ERROR_OPERATING_SYSTEM: "unread",
		nvml.ERROR_UNINITIALIZED: "driver", nvml.ERROR_DRIVER_NOT_LOADED: "driver", nvml.ERROR_LIB_RM_VERSION_MISMATCH: "driver",
	} {
		t.Run(fmt.Sprint(int(code)), func(t *testing.T) {
			t.Parallel()
			a := read(t, fake(t), "gpu 0 uuid=a busy=93\n", fmt.Sprintf("gpu 0 uuid=a busy=93 ret=handle:%d\n", code))
			got := "driver"
			if len(a.Looks[1]) == 1 {
				g := a.Looks[1][0]
				got = "unread"
				if g.LostReason != "" {
					got = "lost"
				}
				if (g.Error != "") == (g.LostReason != "") || g.UUID != "a" || g.Busy.Known || g.ProcessesKnown {
					t.Errorf("%+v", g)
				}
			}
			if got != want {
				t.Errorf("a GPU whose handle is refused is %s, want %s", got, want)
			}
		})
	}
}

// A GPU that is divided, and made whole again, while the probe runs.
func TestMIGFlips(t *testing.T) {
	whole, parts := "gpu 0 uuid=GPU-a busy=90 pids=5:100\n", "gpu 0 uuid=GPU-a busy=0 mig=1g.10gb,1g.10gb pids=5:100@1\n"
	a := read(t, fake(t), whole, parts, whole)
	for i, mig := range []bool{false, true, false} {
		g := a.Looks[i][0]
		if g.IsMIG != mig || g.Busy.Known == mig || (len(g.Slices) == 2) != mig || len(g.Processes) != 1 || (g.Processes[0].SliceUUID != "") != mig {
			t.Errorf("look %d: %+v", i, g)
		}
	}
}
