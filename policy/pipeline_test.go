package policy

import (
	"testing"
	"time"
)

func TestZeroPipelineSmoke(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &Snapshot{Now: now, Nodes: []Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []Devices{{Type: "a100", Count: 8}}}},
		Jobs: []Job{
			{ID: 1, State: Pending, Partition: "p", Arrive: now, Ask: Ask{GPUs: GPUs{Type: "a100", Count: 6}}},
			{ID: 2, State: Pending, Partition: "p", Arrive: now, Ask: Ask{GPUs: GPUs{Type: "a100", Count: 4}}},
			{ID: 3, State: Pending, Partition: "p", Arrive: now, Ask: Ask{GPUs: GPUs{Type: "a100", Count: 2}}},
		}}
	plan, err := Pipeline{}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		t.Logf("%+v", d)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
}
