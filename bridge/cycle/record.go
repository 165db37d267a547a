package cycle

import (
	"encoding/json"
	"fmt"

	"fairbridge/bridge"
)

// newCycleRecord returns the record of the evaluation, unsigned.
func (e *Evaluation) newCycleRecord(epoch int64) *bridge.Cycle {
	took := map[string]string{}
	for step, d := range e.DurationByStep {
		took[step] = d.String()
	}
	return &bridge.Cycle{
		Cluster: e.Snapshot.Cluster, Seq: e.Snapshot.Seq, Epoch: epoch, At: e.Snapshot.Now,
		Partition: e.Partition.Name, Mode: e.Partition.Mode, Policy: e.Partition.Policy, Params: e.Partition.Params,
		Plan: e.Plan, Refused: e.Refusals, StepTimes: took,
	}
}

// addSnapshotAndDigests adds what it takes to decide the cycle again, and to know whether that
// came out the same.
func addSnapshotAndDigests(c *bridge.Cycle, e *Evaluation) error {
	var err error
	if c.Snapshot, err = json.Marshal(e.Snapshot); err != nil {
		return fmt.Errorf("writing the snapshot of partition %s: %w", e.Partition.Name, err)
	}
	c.SnapshotDigest = bridge.DigestText(c.Snapshot)
	if c.PolicyPlanDigest, err = bridge.DigestPlan(e.PolicyPlan); err != nil {
		return fmt.Errorf("writing the plan of partition %s: %w", e.Partition.Name, err)
	}
	return nil
}
