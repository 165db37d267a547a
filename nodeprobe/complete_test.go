package nodeprobe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
)

func job(id int64) nodeprobe.ProcessJob { return nodeprobe.ProcessJob{Job: id, KnownBy: "cgroup"} }

// uses is a process of a job that keeps its GPU busy for a share of the time.
func uses(pid int, id int64, busy float64) nodeprobe.Process {
	return nodeprobe.Process{PID: pid, MemMB: 1, Job: job(id), Busy: nodeprobe.KnownValue(busy), MemBusy: nodeprobe.KnownValue(busy / 2)}
}

func TestJobsOf(t *testing.T) {
	gpus := []nodeprobe.GPU{
		{Index: 0, Busy: nodeprobe.KnownValue(0.8), Processes: []nodeprobe.Process{{PID: 10, MemMB: 100, Job: job(1)}, {PID: 11, MemMB: 50, Job: job(1)}}},
		{Index: 1, Busy: nodeprobe.KnownValue(0.4), Processes: []nodeprobe.Process{{PID: 10, MemMB: 100, Job: job(1)}}},
		{Index: 2, Busy: nodeprobe.KnownValue(1), Processes: []nodeprobe.Process{{PID: 12, MemMB: 7, Job: job(2)}, {PID: 13, MemMB: 7, Job: job(3)}}},
		{Index: 3, Busy: nodeprobe.KnownValue(0.5), Processes: []nodeprobe.Process{{PID: 14, Job: nodeprobe.ProcessJob{SLUID: "s0N1M7Y2EV5N00"}}}},
		{Index: 4, Busy: nodeprobe.KnownValue(0.5), Processes: []nodeprobe.Process{{PID: 15, MemMB: 1, Job: job(4)}, {PID: 16, MemMB: 1}}},
		{Index: 5, Processes: []nodeprobe.Process{{PID: 17, MemMB: 1, Job: job(5)}}},
		{Index: 6, Busy: nodeprobe.KnownValue(1), Processes: []nodeprobe.Process{uses(18, 6, .3), uses(19, 6, .2), uses(20, 7, 0), {PID: 21, MemMB: 1, Job: job(8)}}},
	}
	want := []nodeprobe.JobUse{
		{ProcessJob: nodeprobe.ProcessJob{SLUID: "s0N1M7Y2EV5N00"}, GPUIndexes: []int{3}, Busy: nodeprobe.KnownValue(0.5)}, // the driver does not say its memory
		{ProcessJob: job(1), GPUIndexes: []int{0, 1}, Busy: nodeprobe.KnownValue(0.6), MemMB: nodeprobe.KnownValue(250)},
		{ProcessJob: job(2), GPUIndexes: []int{2}, MemMB: nodeprobe.KnownValue(7)}, // shared: nobody's utilisation
		{ProcessJob: job(3), GPUIndexes: []int{2}, MemMB: nodeprobe.KnownValue(7)},
		{ProcessJob: job(4), GPUIndexes: []int{4}, MemMB: nodeprobe.KnownValue(1)},                                  // with a stranger
		{ProcessJob: job(5), GPUIndexes: []int{5}, MemMB: nodeprobe.KnownValue(1)},                                  // not measured
		{ProcessJob: job(6), GPUIndexes: []int{6}, Busy: nodeprobe.KnownValue(0.5), MemMB: nodeprobe.KnownValue(2)}, // its own processes
		{ProcessJob: job(7), GPUIndexes: []int{6}, Busy: nodeprobe.KnownValue(0), MemMB: nodeprobe.KnownValue(1)},
		{ProcessJob: job(8), GPUIndexes: []int{6}, MemMB: nodeprobe.KnownValue(1)},
	}
	approx := cmp.Comparer(func(a, b nodeprobe.OptionalValue) bool {
		return a.Known == b.Known && a.Value-b.Value < 1e-9 && b.Value-a.Value < 1e-9
	})
	if d := cmp.Diff(want, nodeprobe.JobsOnGPUs(gpus), approx); d != "" {
		t.Error(d)
	}
}

func TestCompleteKeepsWhatARestartedReaderForgot(t *testing.T) {
	before := nodeprobe.Sample{GPUs: []nodeprobe.GPU{
		{Index: 0, UUID: "a", Errors: nodeprobe.Errors{Xid: &nodeprobe.Xid{Code: 79}}},
		{Index: 1, UUID: "b", Model: "T4"},
		{Index: 2, UUID: "c"},
	}}
	now := nodeprobe.Sample{GPUs: []nodeprobe.GPU{{Index: 0, UUID: "c"}, {Index: 2, UUID: "a"}}} // renumbered
	now.CompleteFrom(&before)
	var got []string
	for _, g := range now.GPUs {
		got = append(got, g.UUID+" "+g.Model+" "+g.SickReason)
	}
	want := []string{"c  ", "b T4 the driver no longer lists it", "a  Xid 79: fallen off the bus"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestUnknownIsAbsentFromJSON(t *testing.T) {
	b, err := json.Marshal(nodeprobe.GPU{Busy: nodeprobe.KnownValue(0), Watts: nodeprobe.KnownValue(310.5)})
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, `"busy":0,"watts":310.5`) || strings.Contains(s, "temp_c") || strings.Contains(s, "ecc") {
		t.Errorf("%s", s)
	}
}

func TestMeasureFromJSON(t *testing.T) {
	for text, want := range map[string]nodeprobe.OptionalValue{
		`{"busy":0}`: nodeprobe.KnownValue(0), `{"busy":0.5}`: nodeprobe.KnownValue(0.5), `{"busy":null}`: {}, `{}`: {},
	} {
		var g nodeprobe.GPU
		if err := json.Unmarshal([]byte(text), &g); err != nil || g.Busy != want {
			t.Errorf("%s: %+v, %v", text, g.Busy, err)
		}
	}
	for _, text := range []string{`{"busy":"1"}`, `{"busy":{}}`, `{"busy":1e999}`} {
		g := nodeprobe.GPU{}
		if err := json.Unmarshal([]byte(text), &g); err == nil || g.Busy.Known {
			t.Errorf("%s: %+v, %v", text, g.Busy, err)
		}
	}
}
