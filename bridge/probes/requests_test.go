package probes_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
)

// TestRequestReports: requests are told of jobs that declare a service, once for each report, and none where the site does not let
// reports count; no requests are a report, too.
func TestRequestReports(t *testing.T) {
	at := now.Add(-time.Minute)
	for name, c := range map[string]struct {
		service string
		said    nodeprobe.Progress
		trust   bool
		want    *float64
	}{
		"some":         {"chat", nodeprobe.Progress{Requests: known(120)}, true, new(float64(120))},
		"none came":    {"chat", nodeprobe.Progress{Requests: known(0)}, true, new(float64(0))},
		"another word": {"chat", nodeprobe.Progress{Step: known(3)}, true, nil},
		"no service":   {"", nodeprobe.Progress{Requests: known(120)}, true, nil},
		"not believed": {"chat", nodeprobe.Progress{Requests: known(120)}, false, nil},
	} {
		job := runs(1, "n1", "gpu:a100:4(IDX:0-3)")
		job.User, job.Account, job.Directive.Service = "ann", "web", c.service
		seen := sample()
		seen.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, UID: 1000, AgeSeconds: 60, ReceivedAt: at, Progress: c.said}}
		k := probes.New(&probed{samples: map[string]nodeprobe.Sample{"n1": seen}}, "http://{node}", time.Minute, func() time.Time { return now })
		k.TrustProgressReports = c.trust
		var got, want []bridge.RequestReport
		k.OnNewRequests = func(list []bridge.RequestReport) { got = append(got, list...) }
		v := &slurm.View{At: now, Jobs: []slurm.Job{job}, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}}}
		for range 2 {
			if _, err := k.Sample(context.Background(), v); err != nil {
				t.Fatal(err)
			}
		}
		if c.want != nil {
			want = []bridge.RequestReport{{Job: 1, Account: "web", User: "ann", Service: "chat", RequestCount: bridge.RequestCount{At: at.UTC(), Count: *c.want}}}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if use := k.UseByJob()[1].Requests; c.service != "" && (use != nil) != (want != nil) {
			t.Errorf("%s: just now %+v", name, use)
		}
	}
}
