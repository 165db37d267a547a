package exact_test

import (
	"fmt"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/cluster"
)

// The same drawn jobs under two policies.
func ExampleRun() {
	nodes, err := cluster.ParseSpec("4x4:a100")
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := generate.DrawWorkload("philly", generate.WorkloadOptions{JobCount: 100, ClusterGPUs: 16}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"fifo", "srtf"} {
		entry, err := catalogue.FindSystem(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := entry.New(entry.SimulatorParams)
		if err != nil {
			fmt.Println(err)
			return
		}
		run, err := exact.Run(exact.Config{Policy: p, Nodes: nodes, Jobs: made.Jobs, Accounts: made.Accounts,
			Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)})
		if err != nil {
			fmt.Println(err)
			return
		}
		figures := run.Summarize()
		fmt.Printf("%s: %d jobs, on average done after %.0f h\n", name, figures.JobCount, figures.AvgJCT/3600)
	}
	// Output:
	// fifo: 100 jobs, on average done after 28 h
	// srtf: 100 jobs, on average done after 16 h
}
