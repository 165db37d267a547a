package sim_test

import (
	"context"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestAGPUBecomesShards: the GPU of a waiting job becomes shards and a GPU again, as on 24.11 and 26.05; 22.05 refuses it, and so does
// each of a job that runs.
func TestAGPUBecomesShards(t *testing.T) {
	for _, release := range []string{"22.05.8", "24.11.5", "26.05.5"} {
		nodes := sim.UniformNodes(1, "a100", 2)
		nodes[0].ShardsPerGPU = 4
		w, err := sim.New(sim.Config{Release: release, Nodes: nodes, Partitions: []sim.Partition{{Name: "gpu"}}})
		if err != nil {
			t.Fatal(err)
		}
		id, err := w.Submit(sim.JobSpec{GPUsPerNode: 1, GPUType: "a100", WorkTime: time.Hour, RequiredNodes: []string{"n1"}, BeginTime: w.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		d := sim.DirectCluster{World: w}
		apply := func(e slurm.Edit) error { e.Run.Job = id; return d.ApplyEdit(context.Background(), e) }
		shards := slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}
		if err := apply(shards); (err == nil) != (release != "22.05.8") {
			t.Errorf("%s: %v", release, err)
		}
		if release == "22.05.8" {
			continue
		}
		if j, _ := w.Job(id); j.GresPerNode.Text != "gres/shard:2" || j.RequestedTRES.GPUCount() != 0 {
			t.Errorf("%s: it asks for %q, %q", release, j.GresPerNode.Text, j.RequestedTRES.Text)
		}
		if err := apply(slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1, Text: "a100"}); err != nil {
			t.Error(err)
		}
		if j, _ := w.Job(id); j.GresPerNode.Text != "gres/gpu:a100:1" || j.RequestedTRES.GPUCount() != 1 {
			t.Errorf("%s: given back it asks for %q, %q", release, j.GresPerNode.Text, j.RequestedTRES.Text)
		}
		if err := apply(shards); err != nil {
			t.Error(err)
		}
		w.Advance(w.Now().Add(5 * time.Minute))
		if j, _ := w.Job(id); j.State != "RUNNING" || len(j.GresDetail) != 1 || j.GresDetail[0].Text != "shard:2(2/4,0/4)" || apply(shards) == nil {
			t.Errorf("%s: it is %s on %v", release, j.State, j.GresDetail)
		}
		if _, err := w.Submit(sim.JobSpec{GPUsPerNode: 1, Shards: 1, WorkTime: time.Hour}); err == nil {
			t.Errorf("%s: a GPU and shards at once", release)
		}
		w.RunUntilIdle(w.Now().Add(2 * time.Hour))
		if runs := w.EndedRuns(); len(runs) != 1 || runs[0].EndState != "COMPLETED" || runs[0].End.Sub(runs[0].Start) != time.Hour {
			t.Errorf("%s: %+v", release, runs)
		}
	}
}
