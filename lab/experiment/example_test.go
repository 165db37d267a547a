package experiment_test

import (
	"context"
	"fmt"

	"fairbridge/lab/experiment"
	"fairbridge/lab/generate"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// Two policies on the same made-up jobs.
func ExampleExperiment() {
	nodes, err := cluster.ParseSpec("2x4:a100")
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := experiment.GenerateScenario("philly", generate.WorkloadOptions{JobCount: 40}, 1, nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := study.Experiment{Scenarios: []*study.Scenario{jobs}, RunOptions: study.RunOptions{Seed: 1}}
	if e.Policies, err = policyset.ParsePolicies("fifo,srtf", true); err != nil {
		fmt.Println(err)
		return
	}
	if err := experiment.SetClock(&e.RunOptions, "auto", 0, jobs); err != nil {
		fmt.Println(err)
		return
	}
	results, err := e.Run(context.Background(), 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range results {
		fmt.Printf("%s: %d jobs, done after %.1f h\n", results[i].Label, results[i].Median.JobCount, results[i].Median.Makespan/3600)
	}
	// Output:
	// fifo: 40 jobs, done after 157.8 h
	// srtf: 40 jobs, done after 149.9 h
}
