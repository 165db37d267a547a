package serve_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/serve"
)

func (r *rig) get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func (r *rig) handler() http.Handler { return serve.NewHandler(r.Sampler, r.registry()) }

func (r *rig) registry() *prometheus.Registry {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(serve.NewCollector(r.Sampler, func() int { return 1 }, func() uint64 { return 3 }))
	return reg
}

func TestSampleIsServed(t *testing.T) {
	r := newRig()
	want := r.step(gpus(0.5), nil)
	w := r.get("/v1/sample")
	var got nodeprobe.Sample
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" || w.Header().Get("Content-Type") != "application/json" {
		t.Error(d, w.Header())
	}
	if w := r.get("/nothing"); w.Code != http.StatusNotFound {
		t.Errorf("/nothing answers %d", w.Code)
	}
}

func TestHealth(t *testing.T) {
	r := newRig()
	for _, c := range []struct {
		s    nodeprobe.Sample
		err  error
		code int
		says string
	}{
		{gpus(0), nil, 200, "ok\n"},
		{nodeprobe.Sample{Error: "no driver"}, nil, 200, "ok, but: no driver"},
		{nodeprobe.Sample{}, errors.New("it hangs"), 503, "it hangs"},
	} {
		r.step(c.s, c.err)
		if w := r.get("/healthz"); w.Code != c.code || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.code, c.says)
		}
	}
}

// full is a GPU of which everything is known, and one of which nothing is.
func full() nodeprobe.Sample {
	k := nodeprobe.KnownValue
	return nodeprobe.Sample{
		Driver: nodeprobe.DriverInfo{Version: "550.54.15", CUDA: "12.4", MissingFunctions: []string{"nvmlFoo"}},
		GPUs: []nodeprobe.GPU{
			{Index: 0, UUID: "GPU-a", Model: "NVIDIA A100", MinorNumber: 0, PCIBusID: "00000000:10:00.0",
				Busy: k(0.93), MemBusy: k(0.4), MemUsedMB: k(1), MemTotalMB: k(2), Watts: k(310.5), WattsLimit: k(400), Joules: k(3600),
				TempC: k(61), SMMHz: k(1410), MemMHz: k(1593), Throttle: &nodeprobe.Throttle{Reasons: []string{"power_cap", "sw_thermal"}},
				Links: nodeprobe.LinkCounters{PCIeGen: k(4), PCIeWidth: k(16), PCIeReplays: k(1), PCIeTX: k(2), PCIeRX: k(3), NVLinkTX: k(4), NVLinkRX: k(5)},
				Errors: nodeprobe.Errors{ECCCorrected: k(1), ECCUncorrected: k(0), RetiredPages: k(1), RetiredPending: k(0), RemappedRows: k(1),
					RemapPending: k(1), RemapFailed: k(0), XidWatched: true, Xid: &nodeprobe.Xid{Code: 31}},
				ProcessesKnown: true, Processes: []nodeprobe.Process{{PID: 1, MemMB: 1, Job: nodeprobe.ProcessJob{Job: 7}}}},
			{Index: 1, UUID: "GPU-b", Model: "NVIDIA A100", LostReason: "the GPU has fallen off the bus"},
			{Index: 2, UUID: "GPU-c", Model: "NVIDIA A100", IsMIG: true, Slices: []nodeprobe.MIGSlice{
				{UUID: "MIG-c", Profile: "1g.10gb", MemUsedMB: k(1), MemTotalMB: k(2)}, {UUID: "MIG-d", Profile: "1g.10gb"}}, ProcessesKnown: true, Processes: []nodeprobe.Process{
				{PID: 2, MemMB: 1, Job: nodeprobe.ProcessJob{Job: 8}}, {PID: 3, MemMB: 1, Job: nodeprobe.ProcessJob{SLUID: "s0N1M7Y2EV5N00"}}}},
		},
	}
}

// The names, labels and units are a promise: testdata/metrics.txt holds them.
func TestMetrics(t *testing.T) {
	r := newRig()
	r.step(full(), nil)
	want, err := os.Open("testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if err := testutil.GatherAndCompare(r.registry(), want); err != nil {
		t.Errorf("%v\nserved now:\n%s", err, r.get("/metrics").Body)
	}
	if problems, err := testutil.GatherAndLint(r.registry()); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestStaleNumbersAreNoMetrics(t *testing.T) {
	r := newRig()
	r.step(full(), nil)
	r.step(nodeprobe.Sample{}, errors.New("it hangs"))
	text := r.get("/metrics").Body.String()
	if strings.Contains(text, "nodeprobe_gpu_") || !strings.Contains(text, "nodeprobe_up 0\n") || !strings.Contains(text, "nodeprobe_sample_failures_total 1\n") {
		t.Error(text)
	}
}

// holding is a gatherer that answers when released.
type holding struct{ entered, release chan struct{} }

func (h holding) Gather() ([]*dto.MetricFamily, error) {
	h.entered <- struct{}{}
	<-h.release
	return nil, nil
}

func TestTooManyRequestsAtOnce(t *testing.T) {
	r := newRig()
	h := holding{make(chan struct{}), make(chan struct{})}
	handler := serve.NewHandler(r.Sampler, h)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
		})
		<-h.entered
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/sample", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("the fifth is answered %d", w.Code)
	}
	close(h.release)
	all.Wait()
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/sample", nil))
	if w.Code != http.StatusOK {
		t.Errorf("afterwards %d", w.Code)
	}
}
