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
	"fairbridge/policy"
)

// TestLossReports: a loss is told with the step it is of, once for each report, and only where the site lets
// reports count.
func TestLossReports(t *testing.T) {
	job := runs(1, "n1", "gpu:a100:4(IDX:0-3)")
	job.User = "ann"
	all := nodeprobe.Progress{Loss: known(.5), Step: known(120), TotalSteps: known(900)}
	for name, c := range map[string]struct {
		said  nodeprobe.Progress
		trust bool
		want  []bridge.LossReport
	}{
		"with its step":  {all, true, []bridge.LossReport{{Job: 1, User: "ann", At: now.Add(-time.Minute).UTC(), Point: policy.LossPoint{Step: 120, Loss: .5}, TotalSteps: 900}}},
		"without a step": {nodeprobe.Progress{Loss: known(.5), Epoch: known(3)}, true, nil},
		"no loss":        {nodeprobe.Progress{Step: known(120)}, true, nil},
		"not believed":   {all, false, nil},
	} {
		seen := sample()
		seen.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, UID: 1000, AgeSeconds: 60, ReceivedAt: now.Add(-time.Minute), Progress: c.said}}
		k := probes.New(&probed{samples: map[string]nodeprobe.Sample{"n1": seen}}, "http://{node}", time.Minute, func() time.Time { return now })
		k.TrustProgressReports = c.trust
		var got []bridge.LossReport
		k.OnNewLosses = func(list []bridge.LossReport) { got = append(got, list...) }
		v := &slurm.View{At: now, Jobs: []slurm.Job{job}, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}}}
		for range 2 {
			if _, err := k.Sample(context.Background(), v); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if use := k.UseByJob()[1].Loss; (use != nil) != (c.want != nil) {
			t.Errorf("%s: just now %+v", name, use)
		}
	}
}
