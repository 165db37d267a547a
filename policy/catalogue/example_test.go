package catalogue_test

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// A policy is looked up by name, made with parameters as they stand in the
// configuration, and asked for a plan.
func ExampleFindSystem() {
	entry, err := catalogue.FindSystem("sjf")
	if err != nil {
		fmt.Println(err)
		return
	}
	sjf, err := entry.New(paper.Params{"max_wait": "12h"})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := sjf.Decide(&policy.Snapshot{
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 1}}}},
		Jobs: []policy.Job{
			{ID: 1, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, PredictedLeft: 2 * time.Hour},
			{ID: 2, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, PredictedLeft: time.Hour},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range plan.Decisions {
		fmt.Println(d.Job, d.Verb, d.Rank)
	}
	_, err = entry.New(paper.Params{"max_weight": 1})
	fmt.Println(err)
	// Output:
	// 1 wait 2
	// 2 start 1
	// parameter "max_weight" is unknown, did you mean max_wait? There are backfill, by, max_wait
}
