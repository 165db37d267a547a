package slurmrun

import (
	"encoding/json"
	"reflect"
	"testing"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
)

// TestFillableIdle works out by hand on two nodes of four GPUs what stands idle while it
// would be of use.
func TestFillableIdle(t *testing.T) {
	nodes := []policy.Node{
		{Name: "a", GPUs: []policy.NodeDevices{{Type: "x", Count: 4}}},
		{Name: "b", GPUs: []policy.NodeDevices{{Type: "x", Count: 4}}},
		{Name: "c", DownReason: "broken", GPUs: []policy.NodeDevices{{Type: "x", Count: 4}}},
	}
	one, gang, both := jobShape{nodeCount: 1, gpusPerNode: 1}, jobShape{nodeCount: 1, gpusPerNode: 4}, jobShape{nodeCount: 2, totalGPUs: 6}
	other := jobShape{nodeCount: 1, gpusPerNode: 1, gpuType: "y"}
	onA, onB := &sim.EndedRun{Nodes: []string{"a"}, GPUType: "x", GPUCount: 3}, &sim.EndedRun{Nodes: []string{"b"}, GPUType: "x", GPUCount: 1}
	for name, c := range map[string]struct {
		changes []clusterChange
		want    float64
	}{
		"nobody waits":                          {[]clusterChange{{at: 0, run: onA}, {at: 10, run: onA, isEnd: true}}, 0},
		"what fits waits, 1 of 5 free":          {[]clusterChange{{run: onA}, {waiting: 1, shape: one}, {at: 10, waiting: -1, shape: one}}, 10},
		"three wait, then there is no room":     {[]clusterChange{{waiting: 3, shape: one}, {at: 10, run: onA}, {at: 10, run: onB}, {at: 20, waiting: -3, shape: one}}, 60},
		"a gang of one node has room on either": {[]clusterChange{{run: onA}, {waiting: 1, shape: gang}, {at: 10, waiting: -1, shape: gang}}, 40},
		"no node has four free":                 {[]clusterChange{{run: onA}, {run: onB}, {waiting: 1, shape: gang}, {at: 10, waiting: -1, shape: gang}}, 0},
		"six over both nodes":                   {[]clusterChange{{waiting: 1, shape: both}, {at: 10, run: onB}, {at: 20, run: onA}, {at: 30, waiting: -1, shape: both}}, 120},
		"the largest first, then what is left":  {[]clusterChange{{run: onB}, {waiting: 1, shape: gang}, {waiting: 2, shape: one}, {at: 10, run: onB, isEnd: true}, {at: 20, waiting: -2, shape: one}, {at: 20, waiting: -1, shape: gang}}, 120},
		"another type":                          {[]clusterChange{{waiting: 1, shape: other}, {at: 10, waiting: -1, shape: other}}, 0},
		"stopped, it waits at once":             {[]clusterChange{{run: onA, waiting: 0}, {at: 10, run: onA, isEnd: true, waiting: 1, shape: one}, {at: 15, waiting: -1, shape: one, run: onA}}, 5},
	} {
		if got := newIdleMeter(nodes).sumIdle(c.changes); got != c.want {
			t.Errorf("%s: %g GPU-seconds, want %g", name, got, c.want)
		}
	}
}

// TestWritesAndIdleAreMeasured looks at a run as a whole: Slurm alone gets no edits, a policy
// that orders needs some; and what came of a run survives JSON.
func TestWritesAndIdleAreMeasured(t *testing.T) {
	nodes, jobs := cluster(2), stream(30, never)
	for _, name := range []string{"slurm", "tiresias"} {
		c := Config{PolicyName: name, Nodes: nodes, Jobs: jobs, Seed: 3}
		if name != "slurm" {
			c.Policy = decider(t, name)
		}
		r, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		if (r.WriteCount > 0) != (name != "slurm") {
			t.Errorf("%s: %d writes", name, r.WriteCount)
		}
		if most := float64(r.ClusterGPUs)*r.MakespanSeconds - r.BusyGPUSeconds; r.FillableIdleGPUSeconds <= 0 || r.FillableIdleGPUSeconds > most {
			t.Errorf("%s: %g GPU-seconds idle while jobs waited, want more than none and at most %g", name, r.FillableIdleGPUSeconds, most)
		}
		text, err := json.Marshal(r)
		var back measure.Run
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || !reflect.DeepEqual(&back, r) {
			t.Errorf("%s: a run as JSON comes back changed (%v)", name, err)
		}
	}
}
