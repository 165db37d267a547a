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

var known = nodeprobe.KnownValue

// speedsSeen are the reports of speeds that two looks at the same samples give.
func speedsSeen(t *testing.T, job slurm.Job, p nodeprobe.Progress) ([]bridge.SpeedReport, bridge.JobUse) {
	t.Helper()
	first := sample()
	first.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: job.ID, KnownBy: "cgroup"}, UID: 1000, AgeSeconds: 60, ReceivedAt: now.Add(-time.Minute), Progress: p}}
	k := probes.New(&probed{samples: map[string]nodeprobe.Sample{"n1": first, "n2": sample()}}, "http://{node}", time.Minute, func() time.Time { return now })
	k.TrustProgressReports = true
	var all []bridge.SpeedReport
	k.OnNewSpeeds = func(list []bridge.SpeedReport) { all = append(all, list...) }
	v := &slurm.View{At: now, Jobs: []slurm.Job{job}, Nodes: []slurm.Node{
		{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}, {Name: "n2", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:4,gpu:h100:2")},
	}}
	for range 2 {
		if _, err := k.Sample(context.Background(), v); err != nil {
			t.Fatal(err)
		}
	}
	return all, k.UseByJob()[job.ID]
}

// TestSpeedReports: a job's speed is put down to what it holds, once for each report.
func TestSpeedReports(t *testing.T) {
	rate := nodeprobe.Progress{StepsPerSecond: known(3), BatchSize: known(64)}
	point := func(devices, nodes int) *policy.SpeedPoint {
		return &policy.SpeedPoint{Type: "a100", Devices: devices, Nodes: nodes, BatchSize: 64, StepsPerSecond: 3}
	}
	for name, c := range map[string]struct {
		job  slurm.Job
		said nodeprobe.Progress
		want *policy.SpeedPoint
	}{
		"one node":                        {runs(1, "n1", "gpu:a100:4(IDX:0-3)"), rate, point(4, 0)},
		"more nodes than needed":          {runs(1, "n[1-2]", "gpu:a100:2(IDX:0-1)", "gpu:a100:2(IDX:0-1)"), rate, point(4, 2)},
		"as few nodes as can be":          {runs(1, "n[1-2]", "gpu:a100:8(IDX:0-7)", "gpu:a100:2(IDX:0-1)"), rate, point(10, 0)},
		"two types":                       {runs(1, "n2", "gpu:a100:1(IDX:0),gpu:h100:1(IDX:4)"), rate, nil},
		"no GPUs":                         {runs(1, "n1", ""), rate, nil},
		"no speed":                        {runs(1, "n1", "gpu:a100:4(IDX:0-3)"), nodeprobe.Progress{Step: known(1)}, nil},
		"a speed of nothing":              {runs(1, "n1", "gpu:a100:4(IDX:0-3)"), nodeprobe.Progress{StepsPerSecond: known(0), Step: known(1)}, nil},
		"a report that makes no sense":    {runs(1, "n1", "gpu:a100:4(IDX:0-3)"), nodeprobe.Progress{StepsPerSecond: known(-1)}, nil},
		"a job that asked without a type": {runs(1, "n1", "gpu:4(IDX:0-3)"), rate, point(4, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			c.job.Name, c.job.User = "train", "ann"
			all, use := speedsSeen(t, c.job, c.said)
			if c.want == nil {
				if len(all) > 0 || use.Speed != nil {
					t.Fatalf("%+v, %+v", all, use)
				}
				return
			}
			want := []bridge.SpeedReport{{Job: 1, User: "ann", Class: "name train", At: now.Add(-time.Minute).UTC(), Point: *c.want}}
			if d := cmp.Diff(want, all); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(&bridge.SeenSpeed{SpeedPoint: *c.want, Count: 1}, use.Speed); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBatchReports(t *testing.T) {
	job := runs(1, "n1", "gpu:a100:4(IDX:0-3)")
	for name, c := range map[string]struct {
		said nodeprobe.Progress
		want *policy.BatchRange
	}{
		"all of it": {nodeprobe.Progress{InitialBatch: known(128), MaxBatch: known(4096), LeastBatchOnGPU: known(16), MostBatchOnGPU: known(256), GradSqr: known(.2), GradVar: known(30)},
			&policy.BatchRange{Initial: 128, Max: 4096, LeastPerDevice: 16, MostPerDevice: 256, GradSqr: .2, GradVar: 30}},
		"without what a GPU takes": {nodeprobe.Progress{InitialBatch: known(128), MaxBatch: known(256)}, &policy.BatchRange{Initial: 128, Max: 256, LeastPerDevice: 1, MostPerDevice: 256}},
		"half of the noise":        {nodeprobe.Progress{InitialBatch: known(8), MaxBatch: known(8), GradVar: known(3)}, &policy.BatchRange{Initial: 8, Max: 8, LeastPerDevice: 1, MostPerDevice: 8}},
		"without a beginning":      {nodeprobe.Progress{MaxBatch: known(256)}, nil},
		"backwards":                {nodeprobe.Progress{InitialBatch: known(256), MaxBatch: known(128)}, nil},
	} {
		if _, use := speedsSeen(t, job, c.said); !cmp.Equal(use.Batch, c.want) {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, use.Batch))
		}
	}
}
