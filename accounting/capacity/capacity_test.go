package capacity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

// HalfFull is a snapshot of a partition: n1 has 8 GPUs, half of them held by a
// job that took all its cores; n2 has 8 and a sick one; n3 is down.
func HalfFull(at time.Time) policy.Snapshot {
	gpus := func(sick int) []policy.NodeDevices {
		return []policy.NodeDevices{{Type: "a100", Count: 8, SickCount: sick}}
	}
	return policy.Snapshot{
		Now: at,
		Nodes: []policy.Node{
			{Name: "n1", Partitions: []string{"gpu"}, CPUs: 32, MemMB: 1 << 20, GPUs: gpus(0)}, {Name: "n2", Partitions: []string{"gpu"}, CPUs: 32, MemMB: 3000, GPUs: gpus(1)},
			{Name: "n3", Partitions: []string{"gpu"}, CPUs: 32, MemMB: 1 << 20, GPUs: gpus(0), DownReason: "drained"},
		},
		Jobs: []policy.Job{
			{ID: 1, State: policy.Running, Ask: policy.Ask{GPUs: policy.GPUs{Count: 4, Type: "a100"}, CPUs: 32}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}},
			{ID: 2, State: policy.Pending, User: "ann", Account: "phys", Partition: "gpu", Arrive: storetest.StartTime, Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}, MaxNodes: 1}, SlurmStartEstimate: at.Add(time.Hour)},
			{ID: 3, State: policy.Pending, HeldReason: "held by its user", Ask: policy.Ask{GPUs: policy.GPUs{Count: 64}}, SlurmStartEstimate: at.Add(time.Hour)},
			{ID: 4, State: policy.Running, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2, Type: "a100"}, CPUs: 2}, On: policy.Alloc{{Node: "n3", Type: "a100", Count: 2}}},
		},
	}
}

func TestCapacityOf(t *testing.T) {
	gpu := snapshot{"gpu", storetest.StartTime, HalfFull(storetest.StartTime)}
	small := snapshot{"small", storetest.StartTime.Add(time.Second), HalfFull(storetest.StartTime)}
	small.Nodes, small.Jobs = small.Nodes[:1], small.Jobs[:2]
	later := snapshot{"gpu", storetest.StartTime.Add(snapshotInterval), HalfFull(storetest.StartTime.Add(snapshotInterval))}
	later.Jobs = nil
	c := meanByGroup([]snapshot{gpu, small, later})
	got := map[string][]float64{}
	for _, m := range c {
		got[m.partition+" "+m.gpuType] = []float64{float64(m.snapshotCount), m.total, m.held, m.idle, m.stranded, m.unavailable, m.requested, m.unusable, m.meanUnusable, m.blocked}
	}
	// Two looks at the cluster and at gpu: held 6 then 0; idle 4 + 7 then 8 + 7,
	// of which stranded all 4 of n1 (cores) and 5 of n2 (memory), then only those
	// of n2; away one sick and those of n3. No node had room for job 2, which wants 8 on one node, though
	// 11 were free in all; in small there were 4. Then no job waited.
	want := map[string][]float64{
		" ":          {2, 0, 0, 0, 0, 0, 4, 0, 0, 4},
		" a100":      {2, 24, 3, 13, 7, 8, 0, 5.5, 5.5, 0},
		"gpu ":       {2, 0, 0, 0, 0, 0, 4, 0, 0, 4},
		"gpu a100":   {2, 24, 3, 13, 7, 8, 0, 5.5, 5.5, 0},
		"small ":     {1, 0, 0, 0, 0, 0, 8, 0, 0, 0},
		"small a100": {1, 8, 4, 4, 4, 0, 0, 4, 4, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("looks, gpus, held, idle, stranded, away, wanted, unusable, on average, blocked (-want +got):\n%s", diff)
	}
}
