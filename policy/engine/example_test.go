package engine_test

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
)

// A policy is a pipeline whose stages answer what the system is about; here jobs are
// served by arrival, and those pass that find room.
func ExamplePipeline() {
	snapshot := &policy.Snapshot{
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}},
		Jobs: []policy.Job{
			{ID: 1, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 3}}},
			{ID: 2, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}},
			{ID: 3, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}},
		},
	}
	plan, err := engine.Pipeline{Name: "mine", Order: order.ByArrival{}, Backfill: backfill.Greedy{}}.Decide(snapshot)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range plan.Decisions {
		fmt.Println("job", d.Job, d.Verb)
	}
	// Output:
	// job 1 start
	// job 2 wait
	// job 3 start
}
