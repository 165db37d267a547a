package pool_test

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// A gang of 4 GPUs goes where it fits on one node and leaves least behind.
func ExampleFit() {
	free := pool.New(&policy.Snapshot{Nodes: []policy.Node{
		{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}},
		{Name: "n2", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}},
	}})
	fmt.Println(pool.Fit(free, "gpu", policy.Ask{GPUs: policy.GPUs{Count: 4}}))
	_, err := pool.Fit(free, "gpu", policy.Ask{GPUs: policy.GPUs{Count: 16}})
	fmt.Println(err)
	// Output:
	// n2:4×a100 <nil>
	// needs 16 GPUs, 8 free on the best node n1, 12 in all it may use
}
