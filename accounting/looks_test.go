package accounting

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
)

// halfFull is a snapshot of a partition: n1 has 8 GPUs, half of them held by a
// job that took all its cores; n2 has 8 and a sick one; n3 is down.
func halfFull(at time.Time) policy.Snapshot {
	gpus := func(sick int) []policy.Devices { return []policy.Devices{{Type: "a100", Count: 8, Sick: sick}} }
	return policy.Snapshot{
		Now: at,
		Nodes: []policy.Node{
			{Name: "n1", CPUs: 32, MemMB: 1 << 20, GPUs: gpus(0)}, {Name: "n2", CPUs: 32, MemMB: 3000, GPUs: gpus(1)},
			{Name: "n3", CPUs: 32, MemMB: 1 << 20, GPUs: gpus(0), Down: "drained"},
		},
		Jobs: []policy.Job{
			{ID: 1, State: policy.Running, Ask: policy.Ask{GPUs: policy.GPUs{Count: 4, Type: "a100"}, CPUs: 32}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}},
			{ID: 2, State: policy.Pending, User: "ann", Account: "phys", Partition: "gpu", Arrive: t0, Ask: policy.Ask{GPUs: policy.GPUs{Count: 4}}, SlurmStart: at.Add(time.Hour)},
			{ID: 3, State: policy.Pending, Held: "held by its user", Ask: policy.Ask{GPUs: policy.GPUs{Count: 64}}, SlurmStart: at.Add(time.Hour)},
			{ID: 4, State: policy.Running, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2, Type: "a100"}, CPUs: 2}, On: policy.Alloc{{Node: "n3", Type: "a100", Count: 2}}},
		},
	}
}

func TestCapacityOf(t *testing.T) {
	gpu := look{"gpu", t0, halfFull(t0)}
	small := look{"small", t0.Add(time.Second), halfFull(t0)}
	small.Nodes, small.Jobs = small.Nodes[:1], small.Jobs[:2]
	later := look{"gpu", t0.Add(slot), halfFull(t0.Add(slot))}
	later.Jobs = nil
	c := capacityOf([]look{gpu, small, later})
	got := map[string][]float64{}
	for i, p := range c.partition {
		got[p+" "+c.gpu[i]] = []float64{float64(c.looks[i]), c.gpus[i], c.held[i], c.idle[i], c.stranded[i], c.away[i], c.wanted[i]}
	}
	// Two looks at the cluster and at gpu: held 6 then 0; idle 4 + 7 then 8 + 7,
	// of which stranded all 4 of n1 (cores) and 5 of n2 (memory), then only those
	// of n2; away one sick and those of n3.
	want := map[string][]float64{
		" ":          {2, 0, 0, 0, 0, 0, 2},
		" a100":      {2, 24, 3, 13, 7, 8, 0},
		"gpu ":       {2, 0, 0, 0, 0, 0, 2},
		"gpu a100":   {2, 24, 3, 13, 7, 8, 0},
		"small ":     {1, 0, 0, 0, 0, 0, 4},
		"small a100": {1, 8, 4, 4, 4, 0, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("looks, gpus, held, idle, stranded, away, wanted (-want +got):\n%s", diff)
	}
}

func TestLookBack(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	store := func(seq uint64, at time.Time, s policy.Snapshot) {
		c := cycleOf(seq, epoch, 1)
		c.At = at
		var err error
		c.Snapshot, err = json.Marshal(s)
		must(t, err)
		_, err = d.Intend(ctx, c, nil)
		must(t, err)
	}
	store(1, t0.Add(time.Minute), halfFull(t0.Add(time.Minute)))
	store(2, t0.Add(2*time.Minute), halfFull(t0.Add(2*time.Minute)))
	must(t, d.Record(ctx, view(t0.Add(2*time.Minute), running(1, t0, t0))))
	sumUp(t, d)
	hours := "select format('%s %s looks %s held %s idle %s', partition, gpu_type, looks, held_gpus, idle_gpus) from fairbridge_v1.gpus_by_hour where gpu_type <> '' order by partition nulls first, hour"
	if diff := cmp.Diff([]string{" a100 looks 1 held 6 idle 11", "gpu a100 looks 1 held 6 idle 11"}, texts(t, d, hours)); diff != "" {
		t.Errorf("one look in ten minutes (-want +got):\n%s", diff)
	}
	empty := halfFull(t0.Add(20 * time.Minute))
	empty.Jobs = nil
	store(3, t0.Add(20*time.Minute), empty)
	must(t, d.Record(ctx, view(t0.Add(90*time.Minute), running(1, t0, t0), running(2, t0, t0.Add(80*time.Minute)))))
	sumUp(t, d)
	sumUp(t, d)
	if diff := cmp.Diff([]string{" a100 looks 2 held 3 idle 13", "gpu a100 looks 2 held 3 idle 13"}, texts(t, d, hours)); diff != "" {
		t.Errorf("the hour was looked at again (-want +got):\n%s", diff)
	}
	late := texts(t, d, "select format('%s %s late %s', job, account, late_seconds / 60) from fairbridge_v1.start_estimates")
	if diff := cmp.Diff([]string{"2 phys late 18"}, late); diff != "" {
		t.Errorf("estimates (-want +got):\n%s", diff)
	}
	contention := texts(t, d, "select format('%s of %s', round(wanted), gpus) from fairbridge.contention_hours order by hour limit 1")
	if diff := cmp.Diff([]string{"8 of 24"}, contention); diff != "" {
		t.Errorf("demand (-want +got):\n%s", diff)
	}
}
