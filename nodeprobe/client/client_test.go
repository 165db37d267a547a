package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sample(node string) nodeprobe.Sample {
	return nodeprobe.Sample{Node: node, At: time.Unix(1, 0).UTC(), GPUs: []nodeprobe.GPU{{UUID: "a", Busy: nodeprobe.KnownValue(0.5)}}}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func as(node string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != client.SamplePath {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(sample(node))
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func TestPull(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	socket := filepath.Join(t.TempDir(), "probe.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	overSocket := &http.Server{Handler: as("n02")}
	go func() { _ = overSocket.Serve(l) }()
	t.Cleanup(func() { _ = overSocket.Close() })

	bad := map[string]string{ // node to a part of its error
		"n03": "refused", "n04": "no answer in time", "n05": "500", "n06": "invalid character", "n07": "larger than 1000 bytes",
		"n08": `of node "n01"`, "n09": "redirects", "n10": "unexpected end", "n11": "address", "n12": "no answer in time", "n13": "no such file",
	}
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"node":"n12",`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	nodes := map[string]string{
		"n01": serve(t, as("n01")) + "/", "n02": "unix:" + socket, "n03": gone.URL, "n04": serve(t, hang),
		"n05": serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", 500) }),
		"n06": serve(t, text("<html>hello</html>")), "n07": serve(t, text(`{"node":"n07","error":"`+strings.Repeat("x", 5000)+`"}`)),
		"n08": serve(t, as("n01")), "n09": serve(t, http.RedirectHandler("http://elsewhere.invalid/", http.StatusFound).ServeHTTP),
		"n10": serve(t, text(`{"node":"n10"`)), "n11": "http://bad host", "n12": serve(t, trickle), "n13": "unix:/nonexistent/x.sock",
	}
	got, err := client.New(client.Config{Timeout: 200 * time.Millisecond, MaxParallel: 4, MaxAnswerBytes: 1000}).PullSamples(context.Background(), nodes)
	if d := cmp.Diff(map[string]nodeprobe.Sample{"n01": sample("n01"), "n02": sample("n02")}, got); d != "" {
		t.Error(d)
	}
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != len(bad) {
		t.Fatalf("%d errors: %v", len(lines), err)
	}
	for i, line := range lines {
		node := fmt.Sprintf("n%02d", i+3)
		if !strings.HasPrefix(line, "probe of node "+node+": ") || !strings.Contains(line, bad[node]) {
			t.Errorf("%s: %q, want %q in it", node, line, bad[node])
		}
	}
}

func TestPullAsksOnlySoManyAtOnce(t *testing.T) {
	var now, most atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		as(r.URL.Query().Get("x"))(w, r)
	})
	nodes := map[string]string{}
	for i := range 40 {
		nodes[fmt.Sprintf("n%02d", i)] = url
	}
	if _, err := client.New(client.Config{MaxParallel: 3}).PullSamples(context.Background(), nodes); err == nil { // all say they are ""
		t.Error("no error")
	}
	if m := most.Load(); m < 2 || m > 3 {
		t.Errorf("%d at once", m)
	}
}

func TestPullEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	began := time.Now()
	_, err := client.New(client.Config{Timeout: time.Minute, MaxParallel: 1}).PullSamples(ctx, map[string]string{"a": url, "b": url, "c": url})
	if took := time.Since(began); err == nil || took > 40*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func FuzzReply(f *testing.F) {
	good, _ := json.Marshal(sample("n01"))
	f.Add(good)
	f.Add([]byte("{"))
	f.Add([]byte(`{"node":"n01","gpus":[{"procs":[{"pid":-1}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
		defer s.Close()
		got, err := client.New(client.Config{}).PullSamples(context.Background(), map[string]string{"n01": s.URL})
		if (err == nil) != (len(got) == 1) || err == nil && got["n01"].Node != "n01" {
			t.Errorf("%q gives %v and %v", body, got, err)
		}
	})
}

// 1,000 nodes of 8 GPUs on one machine; clients and servers share its cores.
func BenchmarkPull1000(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		node, _, _ := strings.Cut(r.URL.Path[1:], "/")
		full := sample(node)
		for i := range 7 {
			full.GPUs = append(full.GPUs, nodeprobe.GPU{Index: i + 1, UUID: "x", Busy: nodeprobe.KnownValue(1), MemUsedMB: nodeprobe.KnownValue(1)})
		}
		_ = json.NewEncoder(w).Encode(full)
	}))
	defer s.Close()
	nodes := map[string]string{}
	for i := range 1000 {
		node := fmt.Sprintf("n%03d", i)
		nodes[node] = s.URL + "/" + node
	}
	c := client.New(client.Config{})
	for b.Loop() {
		if got, err := c.PullSamples(context.Background(), nodes); err != nil || len(got) != 1000 {
			b.Fatal(len(got), err)
		}
	}
}
