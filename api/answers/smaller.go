package answers

import (
	"context"
	"fmt"
	"time"

	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// smallerKey is a job in a cycle.
type smallerKey struct {
	partition string
	seq       uint64
	job       policy.JobID
}

// maxSmallerWait is how long a story waits for its turn to have smaller requests worked out.
const maxSmallerWait = 2 * time.Second

// smallerRequests says which smaller requests of a waiting job the policy would have started in the
// cycle. It is worked out once for each cycle; none are said when others, or another request of the
// viewer's, keep us from working it out in time.
func (e jobRequest) smallerRequests(ctx context.Context, c *lastcycle.Cycle, id policy.JobID) []string {
	p := e.partition(c.Partition)
	key := smallerKey{c.Partition, c.Seq, id}
	if known, ok := e.smaller.Get(key); ok || p == nil {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, maxSmallerWait)
	defer cancel()
	done, err := e.heavy.Take(ctx, e.Viewer.User)
	if err != nil {
		return nil
	}
	defer done()
	if known, ok := e.smaller.Get(key); ok {
		return known
	}
	var requests []string
	for _, smaller := range whatif.FindSmallerRequests(c.Snapshot, id, p.PolicyOf(c.Policy, c.Params), e.parts.Now) {
		requests = append(requests, smallerRequestText(c.Snapshot.Job(id), &smaller))
	}
	e.smaller.Put(key, requests)
	return requests
}

// smallerRequestText says what is smaller about a job.
func smallerRequestText(was, is *policy.Job) string {
	switch {
	case is.Ask.GPUs.Count == was.Ask.GPUs.Count:
		return "a time limit of " + policy.FormatDuration(is.Limit)
	case is.Ask.MinNodes > 1:
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.MinNodes)
	}
	return is.Ask.GPUs.String()
}
