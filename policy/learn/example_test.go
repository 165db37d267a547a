package learn_test

import (
	"fmt"
	"time"

	"fairbridge/policy/learn"
)

// A user whose jobs of one name ran an hour each is expected to run another hour, and
// less once the job has run for a while.
func ExampleFit() {
	job := learn.Job{User: "ann", Account: "vision", Name: "train", GPUs: 4}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var runs []learn.Run
	for i := range 50 {
		at := start.Add(time.Duration(i) * 2 * time.Hour)
		runs = append(runs, learn.Run{Job: job, Start: at, End: at.Add(time.Hour), Ran: time.Hour})
	}
	model := learn.Fit(runs, 0)
	for _, ran := range []time.Duration{0, 30 * time.Minute} {
		left, _ := model.RunTimeDistOf(&job).MedianLeft(ran)
		fmt.Println("after", ran, "about", left.Round(10*time.Minute), "are left")
	}
	// Output:
	// after 0s about 1h0m0s are left
	// after 30m0s about 30m0s are left
}
