//go:build cgo

package nvml_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
)

const busy = `# two GPUs
driver version=535.1 cuda=12020
gpu 0 model="NVIDIA H100 80GB HBM3" uuid=GPU-a busy=93 membusy=40 mem=40960/81920 watts=310.5 limit=700 temp=61 sm=1980 memclock=2619 throttle=0x4 pids=12:100,11:40000 ecc=3/1 retired=2 remapped=1 pending
gpu 1 uuid=GPU-b
`

func known(v float64) nodeprobe.OptionalValue { return nodeprobe.KnownValue(v) }

func TestRead(t *testing.T) {
	a := read(t, fake(t), busy)
	if d := cmp.Diff(nodeprobe.DriverInfo{Version: "535.1", CUDA: "12.2"}, a.About); d != "" {
		t.Error(d)
	}
	want := nodeprobe.GPU{
		Index: 0, UUID: "GPU-a", Model: "NVIDIA H100 80GB HBM3", MinorNumber: 0, PCIBusID: "00000000:10:00.0",
		Busy: known(0.93), MemBusy: known(0.4), MemUsedMB: known(40960), MemTotalMB: known(81920),
		Watts: known(310.5), WattsLimit: known(700), Joules: known(3600), TempC: known(61), SMMHz: known(1980), MemMHz: known(2619),
		Throttle: &nodeprobe.Throttle{Reasons: []string{"power_cap"}},
		Links: nodeprobe.LinkCounters{PCIeGen: known(4), PCIeWidth: known(16), PCIeReplays: known(0),
			PCIeTX: known(197 << 20), PCIeRX: known(198 << 20)}, // NVLink: not supported, so unknown
		Errors: nodeprobe.Errors{ECCCorrected: known(3), ECCUncorrected: known(1), UncorrectedInLife: known(1), RetiredPages: known(2),
			RetiredPending: known(1), RemappedRows: known(1), RemapPending: known(1), RemapFailed: known(0), XidWatched: true},
		Processes: []nodeprobe.Process{{PID: 11, MemMB: 40000}, {PID: 12, MemMB: 100}}, ProcessesKnown: true,
	}
	if d := cmp.Diff(want, a.Looks[0][0]); d != "" {
		t.Error(d)
	}
	if g := a.Looks[0][1]; g.UUID != "GPU-b" || g.Busy != known(0) || !g.ProcessesKnown || len(g.Processes) != 0 {
		t.Errorf("the idle GPU: %+v", g)
	}
}

func TestReadFollowsTheDriver(t *testing.T) {
	a := read(t, fake(t), "gpu 0 uuid=a busy=10\ngpu 1 uuid=b\n", "gpu 0 uuid=a busy=90 xid=31\ngpu 1 uuid=b lost\n",
		"gpu 0 uuid=a busy=0 xid=79\n", "gpu 0 uuid=a busy=0 xid=13\n")
	for i, want := range []struct {
		busy float64
		xid  int
	}{{0.1, 0}, {0.9, 31}, {0, 79}, {0, 79}} { // the worst Xid stays
		g := a.Looks[i][0]
		if got := code(g.Errors.Xid); g.Busy != known(want.busy) || got != want.xid {
			t.Errorf("look %d: busy %v, Xid %d; want %+v", i, g.Busy, got, want)
		}
	}
	for i, why := range []string{"", "fallen off the bus", "not found"} { // no longer even counted
		if g := a.Looks[i][1]; g.UUID != "b" || !strings.Contains(g.LostReason, why) || (g.LostReason == "") != (why == "") || g.Busy.Known != (why == "") {
			t.Errorf("look %d: the second GPU: %+v", i, g)
		}
	}
}

func code(x *nodeprobe.Xid) int {
	if x == nil {
		return 0
	}
	return x.Code
}

func TestUnsupportedIsUnknown(t *testing.T) {
	a := read(t, fake(t), "gpu 0 uuid=a na=busy,mem,watts,limit,energy,temp,clocks,throttle,pcie,fields,ecc,retired,remapped,mig,pids,xid,minor,pci\n")
	want := nodeprobe.GPU{Index: 0, UUID: "a", Model: "NVIDIA A100-SXM4-80GB", MinorNumber: -1}
	if d := cmp.Diff(want, a.Looks[0][0]); d != "" {
		t.Error(d)
	}
}

func TestForbiddenIsNotLost(t *testing.T) {
	a := read(t, fake(t), "gpu 0\ngpu 1 na=handle\n")
	if g := a.Looks[0][1]; g.LostReason != "" || !strings.Contains(g.Error, "permission") || g.Busy.Known || g.ProcessesKnown {
		t.Errorf("%+v", g)
	}
}

func TestSlices(t *testing.T) {
	a := read(t, fake(t), "gpu 0 uuid=GPU-a busy=50 mig=1g.10gb,2g.20gb pids=5:1000@1,6:10\n")
	g := a.Looks[0][0]
	if !g.IsMIG || g.Busy.Known {
		t.Errorf("MIG %v, busy %v", g.IsMIG, g.Busy)
	}
	want := []nodeprobe.MIGSlice{
		{UUID: "MIG-a-0", Profile: "1g.10gb", GPUInstance: 7, MemUsedMB: known(0), MemTotalMB: known(10240)},
		{UUID: "MIG-a-1", Profile: "2g.20gb", GPUInstance: 8, MemUsedMB: known(1000), MemTotalMB: known(10240)},
	}
	if d := cmp.Diff(want, g.Slices); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]nodeprobe.Process{{PID: 5, MemMB: 1000, SliceUUID: "MIG-a-1"}, {PID: 6, MemMB: 10}}, g.Processes); d != "" {
		t.Error(d)
	}
}

// TestProcessUse: what the driver tells of each process is its own; what it does not tell stays unknown.
func TestProcessUse(t *testing.T) {
	const two = "gpu 0 uuid=GPU-a busy=80 pids=5:1000,6:10 "
	none := nodeprobe.OptionalValue{}
	for name, c := range map[string]struct {
		state        string
		busy5, busy6 nodeprobe.OptionalValue
		memBusy5     nodeprobe.OptionalValue
	}{
		"both work":                   {state: two + "puse=5:60/30,6:20/5", busy5: known(.6), memBusy5: known(.3), busy6: known(.2)},
		"one works":                   {state: two + "puse=5:60/30", busy5: known(.6), memBusy5: known(.3), busy6: known(0)},
		"told of nobody, GPU busy":    {state: two},
		"told of nobody, GPU idle":    {state: "gpu 0 uuid=GPU-a busy=0 pids=5:1,6:1", busy5: known(0), memBusy5: known(0), busy6: known(0)},
		"under another process (MPS)": {state: two + "puse=99:70/10", busy5: none},
		"a part under another":        {state: two + "puse=99:70/10,6:5/5", busy6: known(.05)},
		"not supported":               {state: two + "puse=5:60/30 na=puse"},
		"no share of time":            {state: two + "puse=5:250/30", busy6: known(0)},
		"divided":                     {state: "gpu 0 uuid=GPU-a mig=1g.10gb,1g.10gb pids=5:1@0,6:1@1 puse=5:60/30,6:20/5"},
	} {
		t.Run(name, func(t *testing.T) {
			procs := read(t, fake(t), c.state).Looks[0][0].Processes
			if len(procs) != 2 || procs[0].Busy != c.busy5 || procs[0].MemBusy != c.memBusy5 || procs[1].Busy != c.busy6 {
				t.Errorf("%+v", procs)
			}
		})
	}
}

func TestNoDriver(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ lib, state, want string }{
		"no library":     {"/nonexistent/libnvidia-ml.so.1", "", "No such file"},
		"not a library":  {text, "", "text.so"},
		"another one":    {"libc.so.6", "", "is it NVIDIA's?"},
		"no kernel part": {fake(t), "driver missing\n", "driver is not loaded"},
		"no start":       {fake(t, "nvmlInit_v2"), busy, "lacks nvmlInit"},
		"no count":       {fake(t, "nvmlDeviceGetCount_v2"), busy, "lacks nvmlDeviceGetCount"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, c.lib, c.state).NoDriver; !strings.Contains(got, c.want) {
				t.Errorf("says %q, want %q in it", got, c.want)
			}
		})
	}
}

// exported are the fake library's functions that a driver may lack.
func exported(t *testing.T) []string {
	text, err := os.ReadFile("../fakenvml/src/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "ret nvml"); ok {
			name, _, _ := strings.Cut(rest, "(")
			names = append(names, "nvml"+name)
		}
	}
	vital := []string{"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"}
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(vital, n) })
}

// Each function in turn is left out: the process must live, say so, and read
// the rest.
func TestMissingFunctions(t *testing.T) {
	names := exported(t)
	if len(names) < 35 {
		t.Fatalf("found only %d functions: %v", len(names), names)
	}
	singly := names
	if testing.Short() {
		singly = names[:8]
	}
	whole := read(t, fake(t), busy).About
	for _, name := range singly {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := read(t, fake(t, name), busy)
			if name != "nvmlDeviceGetSupportedEventTypes" && len(a.About.MissingFunctions) != len(whole.MissingFunctions)+1 {
				t.Errorf("missing: %v", a.About.MissingFunctions)
			}
			if len(a.Looks) == 0 || len(a.Looks[0]) != 2 {
				t.Fatalf("read %+v", a)
			}
		})
	}
	a := read(t, fake(t, names...), busy)
	if d := cmp.Diff(nodeprobe.GPU{Index: 0, MinorNumber: -1}, a.Looks[0][0]); d != "" {
		t.Errorf("with nothing but a count: %s", d)
	}
}
