package restart

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// nodesReason: a job needs as many nodes as it asks for that are up, not drained, and not set aside before its
// limit ends, whatever runs on them. Those it runs on serve its request. Others are counted only for a request
// that is fully understood.
func nodesReason(c *Case) string {
	why := c.ownNodesReason()
	if why == "" {
		return ""
	}
	empty := pool.NewEmpty(c.Snapshot.Nodes, c.From)
	if c.View.UnplaceableReason(c.Job) == "" && empty.Fits(c.Planned.Partition, c.ask()) {
		return ""
	}
	return why
}

// ask is the job's request with the GPUs that it is to start again with.
func (c *Case) ask() policy.Ask {
	ask := c.Planned.AskWithLimit()
	if c.GPUs > 0 {
		ask = ask.Resized(c.GPUs)
	}
	return ask
}

// ownNodesReason says which of the job's own nodes could not take it again; "" if all could.
func (c *Case) ownNodesReason() string {
	if c.GPUs > c.Planned.On.Count() {
		return "no nodes are known for the GPUs that it is to have"
	}
	for _, name := range slices.Concat(c.Planned.On.Nodes(), c.Planned.Ask.RequiredNodes) {
		n := c.Snapshot.Node(name)
		if n == nil || n.DownReason != "" {
			return fmt.Sprintf("too few nodes that suit it take jobs: %s does not", name)
		}
		if w, _, _ := n.WindowDuring(c.From, c.Planned.Limit); w != nil {
			return fmt.Sprintf("with its limit of %s it would reach into %v at %s, and too few other nodes suit it",
				policy.FormatDuration(c.Planned.Limit), w, w.From.UTC().Format(time.RFC3339))
		}
	}
	return ""
}
