package main

import (
	"context"
	"fmt"
	"strings"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/policy"
)

// lastCycle is the last cycle that is stored of a partition, with what it saw.
type lastCycle struct {
	*journal.StoredCycle
	Snapshot *policy.Snapshot
}

// readLastCycle reads the last cycle of a partition.
func readLastCycle(ctx context.Context, db *stores.Stores, cluster, partition string) (*lastCycle, error) {
	c, err := db.ReadCycle(ctx, cluster, partition, 0)
	if err != nil {
		return nil, err
	}
	s, err := c.ParseSnapshot()
	return &lastCycle{c, s}, err
}

// withheldReasons says why nothing at all was sent to Slurm in the cycle; none: what was let
// through was sent.
func (c *lastCycle) withheldReasons() []string {
	return listWithheldReasons(c.Mode, c.Refusals)
}

// listWithheldReasons says why nothing is sent in a mode, by the refusals of the whole plan.
func listWithheldReasons(m bridge.Mode, refusals []bridge.Refusal) (reasons []string) {
	if !m.Allows(bridge.ModeRank) {
		reasons = append(reasons, fmt.Sprintf("mode %s sends nothing", m))
	}
	for _, r := range refusals {
		if r.Job == 0 {
			reasons = append(reasons, r.Why)
		}
	}
	return reasons
}

// refusalsOf are what was turned down about the job, but for what its decision says already.
func (c *lastCycle) refusalsOf(id policy.JobID, why string) (out []bridge.Refusal) {
	for _, r := range c.Refusals {
		if r.Job == id && !strings.Contains(why, r.Why) {
			out = append(out, r)
		}
	}
	return out
}

// refusalText says what was turned down, and for which sentence.
func refusalText(r bridge.Refusal) string {
	if sentence := r.Invariant.Text(); sentence != "" {
		return r.Why + ". " + sentence
	}
	return r.Why
}

// gpuCountOf counts the GPUs of a job and all the tasks it stands for.
func gpuCountOf(j *policy.Job) int {
	if n := j.On.Count(); n > 0 {
		return n
	}
	return j.Ask.GPUs.Count * j.TaskCount()
}
