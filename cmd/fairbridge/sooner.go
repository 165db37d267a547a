package main

import (
	"fmt"
	"time"

	"fairbridge/bridge/study/whatif"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// sooner says which smaller requests of a waiting job the policy would have
// started in the cycle of the snapshot.
func sooner(s *policy.Snapshot, id policy.JobID, p policy.Policy) []string {
	var requests []string
	for _, smaller := range whatif.Smaller(s, id, p, time.Now) {
		requests = append(requests, request(s.Job(id), &smaller))
	}
	return requests
}

// request says what is smaller about a job.
func request(was, is *policy.Job) string {
	switch {
	case is.Ask.GPUs.Count == was.Ask.GPUs.Count:
		return "a time limit of " + output.Duration(is.Limit)
	case is.Ask.Nodes > 1:
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.Nodes)
	}
	return is.Ask.GPUs.String()
}
