package study_test

import (
	"context"
	"fmt"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/policyset"
)

// Two policies on the same drawn jobs, side by side.
func ExampleExperiment_Run() {
	nodes, err := cluster.Parse("4x4:a100")
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := study.Generate("philly", generate.Options{Jobs: 50}, 1, nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	policies, err := policyset.Parse("fifo,srtf", true)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := study.Experiment{Scenarios: []*study.Scenario{jobs}, Policies: policies}
	if err := e.SetClock("auto", 0, jobs); err != nil {
		fmt.Println(err)
		return
	}
	results, err := e.Run(context.Background(), 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Printf("%s: done on average after %.0f h, worst ρ %.1f\n", r.Label, r.Runs[0].Summary().AvgJCT/3600, r.Runs[0].Summary().WorstRho)
	}
	// Output:
	// fifo: done on average after 8 h, worst ρ 217.8
	// srtf: done on average after 4 h, worst ρ 0.4
}
