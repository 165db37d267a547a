package nodeprobe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
)

func job(id int64) nodeprobe.ProcessJob { return nodeprobe.ProcessJob{Job: id, By: "cgroup"} }

func TestJobsOf(t *testing.T) {
	gpus := []nodeprobe.GPU{
		{Index: 0, Busy: nodeprobe.Known(0.8), Procs: []nodeprobe.Process{{PID: 10, MemMB: 100, Owner: job(1)}, {PID: 11, MemMB: 50, Owner: job(1)}}},
		{Index: 1, Busy: nodeprobe.Known(0.4), Procs: []nodeprobe.Process{{PID: 10, MemMB: 100, Owner: job(1)}}},
		{Index: 2, Busy: nodeprobe.Known(1), Procs: []nodeprobe.Process{{PID: 12, MemMB: 7, Owner: job(2)}, {PID: 13, MemMB: 7, Owner: job(3)}}},
		{Index: 3, Busy: nodeprobe.Known(0.5), Procs: []nodeprobe.Process{{PID: 14, Owner: nodeprobe.ProcessJob{SLUID: "s0N1M7Y2EV5N00"}}}},
		{Index: 4, Busy: nodeprobe.Known(0.5), Procs: []nodeprobe.Process{{PID: 15, MemMB: 1, Owner: job(4)}, {PID: 16, MemMB: 1}}},
		{Index: 5, Procs: []nodeprobe.Process{{PID: 17, MemMB: 1, Owner: job(5)}}},
	}
	want := []nodeprobe.Job{
		{ProcessJob: nodeprobe.ProcessJob{SLUID: "s0N1M7Y2EV5N00"}, GPUs: []int{3}, Busy: nodeprobe.Known(0.5)}, // the driver does not say its memory
		{ProcessJob: job(1), GPUs: []int{0, 1}, Busy: nodeprobe.Known(0.6), MemMB: nodeprobe.Known(250)},
		{ProcessJob: job(2), GPUs: []int{2}, MemMB: nodeprobe.Known(7)}, // shared: nobody's utilisation
		{ProcessJob: job(3), GPUs: []int{2}, MemMB: nodeprobe.Known(7)},
		{ProcessJob: job(4), GPUs: []int{4}, MemMB: nodeprobe.Known(1)}, // with a stranger
		{ProcessJob: job(5), GPUs: []int{5}, MemMB: nodeprobe.Known(1)}, // not measured
	}
	approx := cmp.Comparer(func(a, b nodeprobe.Measure) bool {
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
	now.Complete(&before)
	var got []string
	for _, g := range now.GPUs {
		got = append(got, g.UUID+" "+g.Model+" "+g.Sick)
	}
	want := []string{"c  ", "b T4 the driver no longer lists it", "a  Xid 79: fallen off the bus"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestUnknownIsAbsentFromJSON(t *testing.T) {
	b, err := json.Marshal(nodeprobe.GPU{Busy: nodeprobe.Known(0), Watts: nodeprobe.Known(310.5)})
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, `"busy":0,"watts":310.5`) || strings.Contains(s, "temp_c") || strings.Contains(s, "ecc") {
		t.Errorf("%s", s)
	}
}

func TestMeasureFromJSON(t *testing.T) {
	for text, want := range map[string]nodeprobe.Measure{
		`{"busy":0}`: nodeprobe.Known(0), `{"busy":0.5}`: nodeprobe.Known(0.5), `{"busy":null}`: {}, `{}`: {},
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
