package policy_test

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// A job that was stopped twice has received what both of its runs held.
func ExampleServiceForTime() {
	attained := policy.ServiceForTime(4, 2*time.Hour) + policy.ServiceForTime(4, 30*time.Minute)
	fmt.Println(float64(attained)/3600, "GPU-hours")
	// Output: 10 GPU-hours
}

// What a policy remembers comes back with the next snapshot.
func ExampleRecall() {
	type turns struct {
		Last policy.JobID `json:"last"`
	}
	plan := policy.Plan{Memo: policy.Remember(turns{Last: 7})}

	next := policy.Snapshot{Memo: plan.Memo}
	past, err := policy.Recall[turns](next.Memo)
	fmt.Println(past.Last, err)
	// Output: 7 <nil>
}
